/** Execs by their records: lists in parts, one exec, and cancellation from any process of the state directory. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caisson } from '../../../src/service/caisson.ts';
import { openCaisson } from '../../../src/main.ts';
import { everyItem } from '../../../src/service/api.ts';

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
  for (const task of ['one', 'two'])
    for (let exec = 0; exec < 3; exec += 1)
      await caisson.run({ taskId: task, execId: `exec_${task}${exec}`, command: ['sh', '-c', `exit ${exec}`] });
});
afterAll(async () => {
  for (const { taskId } of (await caisson.sandboxes.list()).items) await caisson.sandboxes.remove(taskId);
  await other.close();
  await caisson.close();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

const newestFirst = ['exec_two2', 'exec_two1', 'exec_two0', 'exec_one2', 'exec_one1', 'exec_one0'];

describe('execs.list', { timeout: 60_000 }, () => {
  it('gives the execs of every process, newest first, with their exits', async () => {
    const { items, nextCursor } = await other.execs.list();
    expect(items.map(({ id }) => id)).toEqual(newestFirst);
    expect(items.map(({ exit }) => exit?.exitCode)).toEqual([2, 1, 0, 2, 1, 0]);
    expect(items[0]).toMatchObject({ command: ['sh', '-c', 'exit 2'], where: { backend: 'local', taskId: 'two' } });
    expect(nextCursor).toBeNull();
  });

  it('gives the execs of one task', async () => {
    const { items } = await caisson.execs.list({ task: 'one' });
    expect(items.map(({ id }) => id)).toEqual(newestFirst.slice(3));
  });

  it.each([1, 2, 4, 6])('gives every exec once in parts of %i', async (limit) => {
    const found: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await caisson.execs.list({ limit, ...(cursor === undefined ? {} : { cursor }) });
      expect(page.items.length).toBeLessThanOrEqual(limit);
      found.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(found).toEqual(newestFirst);
  });
});

describe('a list in parts', () => {
  it('of sandboxes gives each once, oldest first, and filters', async () => {
    const tasks = async (limit: number): Promise<readonly string[]> =>
      (await Array.fromAsync(everyItem((page) => caisson.sandboxes.list({ ...page, limit })))).map(
        ({ taskId }) => taskId,
      );
    expect([await tasks(1), await tasks(2)]).toEqual([
      ['one', 'two'],
      ['one', 'two'],
    ]);
    expect((await caisson.sandboxes.list({ state: 'stopped' })).items).toEqual([]);
    expect((await caisson.sandboxes.list({ backend: 'local', state: 'ready' })).items).toHaveLength(2);
  });

  it.each([{ limit: 0 }, { limit: 1001 }, { limit: 1.5 }, { cursor: 'no cursor' }, { cursor: '' }])(
    'refuses %o',
    async (page) => {
      await expect(caisson.execs.list(page)).rejects.toMatchObject({ code: 'invalid_argument' });
      await expect(caisson.sandboxes.list(page)).rejects.toMatchObject({ code: 'invalid_argument' });
    },
  );
});

describe('one exec', { timeout: 60_000 }, () => {
  it('is read by its id, and one that is not on record is not_found', async () => {
    expect(await other.execs.get('exec_one1')).toMatchObject({ id: 'exec_one1', exit: { exitCode: 1 } });
    await expect(caisson.execs.get('exec_none')).rejects.toMatchObject({ code: 'not_found' });
    await expect(caisson.execs.get('build')).rejects.toMatchObject({ code: 'invalid_argument' });
  });

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

  it('that has ended is left alone by cancel, and a detached process is refused', async () => {
    await caisson.execs.cancel('exec_one0');
    expect((await caisson.execs.get('exec_one0')).exit).toMatchObject({ reason: 'exited', exitCode: 0 });
    await expect(caisson.execs.cancel('exec_none')).rejects.toMatchObject({ code: 'not_found' });
    const { id } = await caisson.processes.start({ taskId: 'one', command: ['sleep', '300'] });
    await expect(caisson.execs.cancel(id)).rejects.toMatchObject({ code: 'failed_precondition' });
    await caisson.processes.kill(id);
  });
});
