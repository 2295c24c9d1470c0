/** SEC-F4: a process that a command left behind, and lanes. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import { type Home, makeHome } from './home.ts';

const attack = await readFile(new URL('lane-attack.sh', import.meta.url), 'utf8');
const canary = 'later-canary-5566';
const patience = { timeout: 120_000 };

async function warmed(home: Home): Promise<Caisson> {
  const caisson = await home.open();
  for (let count = 0; count < 4; count += 1) await caisson.run({ taskId: 'work', command: ['true'] });
  return caisson;
}

async function leaveAttacker(caisson: Caisson): Promise<void> {
  const text = `cat >/tmp/a.sh; setsid sh /tmp/a.sh /tmp/stolen </dev/null >/dev/null 2>&1 & sleep 0.2`;
  await caisson.run({ taskId: 'work', command: ['sh', '-c', text], input: attack });
}

const failing = (caisson: Caisson, env: Record<string, string> = {}) =>
  caisson.run({ taskId: 'work', command: ['sh', '-c', 'echo real; exit 7'], env, timeoutMs: 5000 });

describe('a process that has outlived its command', () => {
  it('neither answers for a later command nor reads its request', patience, async () => {
    await using home = await makeHome();
    const caisson = await warmed(home);
    await leaveAttacker(caisson);
    for (let count = 0; count < 12; count += 1)
      expect(await failing(caisson, { LATER_SECRET_TOKEN: canary })).toMatchObject({
        exit: { reason: 'exited', exitCode: 7 },
        stdout: { text: 'real\n' },
      });
    const { stdout } = await caisson.run({
      taskId: 'work',
      command: ['sh', '-c', 'grep -c later-canary /tmp/stolen; wc -c </tmp/a.sh'],
    });
    expect(stdout.text).toMatch(/^(?:0\n)?[1-9]\d*\n$/);
  });

  it('is past when it has ended: lanes are opened anew', patience, async () => {
    await using home = await makeHome();
    const caisson = await warmed(home);
    const pids = async () =>
      (await caisson.run({ taskId: 'work', command: ['sh', '-c', 'grep -l "caisson-l[a]ne" /proc/[0-9]*/cmdline'] }))
        .stdout.text;
    const before = await pids();
    await caisson.run({
      taskId: 'work',
      command: ['sh', '-c', 'setsid sleep 300 >/dev/null 2>&1 & echo $! >/tmp/pid'],
    });
    expect(await failing(caisson)).toMatchObject({ exit: { exitCode: 7 } });
    await caisson.run({ taskId: 'work', command: ['sh', '-c', 'kill -9 $(cat /tmp/pid)'] });
    for (let count = 0; count < 4; count += 1) await caisson.run({ taskId: 'work', command: ['true'] });
    expect(await pids()).not.toBe(before);
  });
});

it('with exec.lanes false no command goes through a lane', patience, async () => {
  await using home = await makeHome();
  await writeFile(join(home.path, 'config.yaml'), 'exec: {lanes: false}\n', { mode: 0o600 });
  const caisson = await warmed(home);
  const parent = async () => (await caisson.run({ taskId: 'work', command: ['sh', '-c', 'echo $PPID'] })).stdout.text;
  expect(await parent()).not.toBe(await parent());
  expect((await caisson.sandboxes.get('work')).noLanes).toBe('exec.lanes is false');
});
