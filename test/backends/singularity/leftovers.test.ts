/** What stays when the service is killed, and that all of it can be found and removed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasApptainer } from '../../engines/apptainer.ts';
import { eventually, sh } from '../../conformance/command.ts';
import { createOptions, instance, TestPlace } from './place.ts';

const backendFile = new URL('../../../backends/singularity/backend.ts', import.meta.url).href;

/** A service of its own, that makes a sandbox and then runs a command in it for ever. */
const service = `
const [given] = process.argv.slice(1).map((text) => JSON.parse(text));
const { open } = await import(${JSON.stringify(backendFile)});
const backend = open(given.open);
console.log('opened');
const sandbox = await backend.create(given.spec, given.options);
const process_ = await sandbox.exec(['sleep', '1000'], { cwd: '/', env: {}, stdin: false });
console.log('made');
await process_.wait();
`;

describe.skipIf(!hasApptainer())('a service that is killed', () => {
  let place: TestPlace;
  const kept = mkdtempSync(join(tmpdir(), 'caisson-kept-'));
  beforeAll(async () => {
    place = await TestPlace.open();
    await (await place.create()).destroy(); // unpacks the image
  });
  afterAll(async () => {
    await place.close();
    rmSync(kept, { recursive: true, force: true });
  });

  function startService(persistent: boolean): ChildProcess {
    const { env, settings } = place.apptainer;
    const spec = {
      ...place.spec(),
      persistent,
      limits: { cpuCores: null, memoryBytes: null, diskBytes: null, pids: null },
    };
    const options = { ...createOptions(), directory: persistent ? kept : null };
    const given = JSON.stringify({ open: { env, settings, instance }, spec, options });
    return spawn(process.execPath, ['--input-type=module', '-e', service, given], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  }

  /** All traces of sandboxes: processes, mounts, control groups, files. */
  function traces(): readonly string[] {
    const { scratch } = place.apptainer;
    const processes = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && environOf(pid).includes(scratch));
    const mounts = readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .filter((line) => line.includes(scratch));
    const runs = join(scratch, `caisson-run-${process.getuid?.() ?? 0}`);
    // The accounts file is of the home, not of a sandbox.
    const directories = existsSync(runs) ? readdirSync(runs).filter((name) => !name.startsWith('passwd-')) : [];
    const registrations = join(scratch, `caisson-${process.getuid?.() ?? 0}/singularity/${instance}`);
    const files = existsSync(registrations) ? readdirSync(registrations).filter((name) => name.endsWith('.json')) : [];
    return [...processes.map((pid) => `process ${pid}`), ...mounts, ...directories, ...files];
  }

  async function sweep(): Promise<number> {
    const found = await place.backend.list({ instance });
    for (const { ref } of found) await (await place.backend.attach(ref)).destroy();
    return found.length;
  }

  it.each([
    ['an ephemeral', false],
    ['a persistent', true],
  ])(
    'leaves %s sandbox that is found running, works, and can be removed without a trace',
    async (_kind, persistent) => {
      const child = startService(persistent);
      for await (const chunk of child.stdout ?? []) if (String(chunk).includes('made')) break;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      const [found, ...others] = await place.backend.list({ instance });
      expect(others).toEqual([]);
      expect(found?.state).toBe('running');
      const sandbox = await place.backend.attach(found?.ref ?? { v: 0 });
      expect((await sh(sandbox, 'echo alive')).stdout.toString()).toBe('alive\n');
      expect(traces()).not.toEqual([]);
      expect(await sweep()).toBe(1);
      expect(await eventually(() => traces().length === 0)).toBe(true);
    },
  );

  it('leaves nothing that cannot be removed, at whatever moment of a creation it is killed', async () => {
    let left = 0;
    for (const delayMs of [0, 20, 50, 90, 140, 200, 270, 350, 440, 540, 700]) {
      const child = startService(delayMs % 20 === 0);
      const exited = once(child, 'exit');
      for await (const chunk of child.stdout ?? []) if (String(chunk).includes('opened')) break;
      await sleep(delayMs);
      child.kill('SIGKILL');
      await exited;
      // What it had started last may still be on its way.
      await sleep(600);
      left += await sweep();
      expect(await eventually(() => traces().length === 0), `after ${delayMs} ms: ${traces().join(', ')}`).toBe(true);
    }
    expect(left).toBeGreaterThan(0);
  });
});

function environOf(pid: string): string {
  try {
    return pid === String(process.pid) ? '' : readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return ''; // It ended while we looked, or is another user's.
  }
}
