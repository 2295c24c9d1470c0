/** Execs that one process of a state directory runs, and another one ends. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caisson } from '../../../src/service/caisson.ts';
import { openCaisson } from '../../../src/main.ts';

let home = '';
let caisson: Caisson;
/** A second process of the state directory, as far as the state directory knows. */
let other: Caisson;
const opened = async (): Promise<Caisson> =>
  await openCaisson({
    home: join(home, 'caisson'),
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: home, CAISSON_TERMINAL_BACKEND: 'local' },
    cwd: home,
  });

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'caisson-execs-'));
  caisson = await opened();
  other = await opened();
  // The shell that is ready from then on reports a signal by its number.
  await caisson.run({ taskId: 'one', command: ['true'] });
});
afterAll(async () => {
  await caisson.sandboxes.remove('one');
  await other.close();
  await caisson.close();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

describe('one exec', { timeout: 60_000 }, () => {
  it.each([
    ['its own process', 'exec_own', () => caisson, 'canceled'],
    ['another process', 'exec_other', () => other, 'exited'],
  ] as const)('has no exit while it runs, and is ended by %s', async (_by, execId, canceler, reason) => {
    const running = await caisson.exec({ taskId: 'one', execId, command: ['sleep', '300'] });
    expect(await other.execs.get(execId)).toMatchObject({ exit: null });
    await canceler().execs.cancel(execId);
    const exit = await running.exit;
    expect(exit).toMatchObject({ reason, exitCode: 143 });
    expect((await other.execs.get(execId)).exit).toMatchObject({ reason, exitCode: 143 });
  });
});
