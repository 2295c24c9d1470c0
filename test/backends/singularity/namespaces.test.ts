/** The kernel gives the number of a namespace to the next one as soon as it is empty. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { endAll } from '../../../backends/singularity/host-processes.ts';

const rounds = 20;
const started: ChildProcess[] = [];
afterEach(() => started.splice(0).forEach((child) => child.kill('SIGKILL')));

const asOrdinaryUser = process.getuid?.() === 0 ? [] : ['--user', '--map-root-user'];

/** In a pid namespace of its own, which ends with it. */
function inNamespace(script: string, env: NodeJS.ProcessEnv = {}): ChildProcess {
  const child = spawn('unshare', [...asOrdinaryUser, '--pid', '--fork', '--kill-child', 'sh', '-c', script], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  started.push(child);
  return child;
}

/** Makes namespaces one after the other, and gives how their processes ended. */
async function strangers(until: AbortSignal): Promise<readonly unknown[]> {
  const ends: unknown[] = [];
  while (!until.aborted) ends.push((await once(inNamespace('sleep 0.05'), 'exit'))[0]);
  return ends;
}

test('ending a sandbox ends no process in a namespace that got its number', async () => {
  const over = new AbortController();
  const counting = Promise.all(Array.from({ length: 4 }, () => strangers(over.signal)));
  for (let round = 0; round < rounds; round += 1) {
    const directory = `/caisson-test/${randomBytes(8).toString('hex')}`;
    // Several, since they are looked at one after the other, when all have ended.
    const several = Array.from({ length: 8 }, () => inNamespace('echo up; sleep 60', { DIRECTORY: directory }));
    await Promise.all(several.map((each) => once(each.stdout ?? each, 'data')));
    await endAll(directory);
  }
  over.abort();
  const ends = (await counting).flat();
  expect(ends.length).toBeGreaterThan(20);
  expect(ends.filter((code) => code !== 0)).toEqual([]);
});
