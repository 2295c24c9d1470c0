import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEngine, type Engine } from '../engines/engine.ts';
import { importImages } from '../engines/images.ts';
import { restart } from '../engines/respawning.ts';
import { makeHome } from './home.ts';

let engine: Engine;

beforeAll(async () => {
  engine = await startEngine('respawning');
  await importImages(engine.host);
}, 120_000);
afterAll(() => engine.stop());

describe.each(['SIGTERM', 'SIGKILL'] as const)('an engine that %s ends and that comes back (FR-10)', (signal) => {
  it('loses no sandbox, runs no command twice, and tells what it does not know', { timeout: 180_000 }, async () => {
    await using home = await makeHome(engine.host);
    const caisson = await home.open();
    await caisson.run({ taskId: 'work', command: ['sh', '-c', 'echo kept >/workspace/file'] });
    const text = 'echo started >>/workspace/runs; sleep 20; echo done';
    const running = caisson.run({ taskId: 'work', command: ['sh', '-c', text] });
    await expect
      .poll(async () => (await caisson.run({ taskId: 'work', command: ['cat', '/workspace/runs'] })).stdout.text)
      .toBe('started\n');
    await restart(engine, signal);
    const { exit } = await running;
    // Whether the stream outlived the engine is the engine's affair; an exit code that was not seen must not be reported.
    expect([exit.reason, exit.exitCode]).toEqual(exit.reason === 'exited' ? ['exited', 0] : ['lost', null]);
    const after = await caisson.run({ taskId: 'work', command: ['cat', '/workspace/file', '/workspace/runs'] });
    expect([after.exit.exitCode, after.stdout.text]).toEqual([0, 'kept\nstarted\n']);
    expect(await home.containers()).toHaveLength(1);
  });

  it('is waited for, or reported as unavailable, while it is away', { timeout: 180_000 }, async () => {
    await using home = await makeHome(engine.host);
    const caisson = await home.open();
    await caisson.sandboxes.create({ taskId: 'work' });
    const away = restart(engine, signal);
    const reported = new Set<string>();
    for (let tries = 0; tries < 20; tries += 1) {
      const code = await caisson.run({ taskId: 'work', command: ['true'] }).then(
        ({ exit }) => exit.reason,
        (error: { readonly code: string }) => error.code,
      );
      reported.add(code);
      await sleep(100);
    }
    await away;
    for (const code of reported) expect(['exited', 'lost', 'unavailable']).toContain(code);
    const after = await caisson.run({ taskId: 'work', command: ['echo', 'back'] });
    expect(after.stdout.text).toBe('back\n');
  });
});
