import { expect } from 'vitest';
import { everyItem } from '../../../src/service/pages.ts';
import { refused } from '../reading.ts';
import type { Suite } from '../suite.ts';

export function historyCases(suite: Suite): void {
  suite.test('history.list.ends', 'gives commands of a task newest first, with how each ended', async (place) => {
    const task = await place.fresh();
    const run = async (command: readonly string[]): Promise<void> =>
      void (await place.agent.run({ taskId: task, command }));
    await run(['sh', '-c', 'echo hello; exit 3']);
    await run(['true']);
    const { items } = await place.agent.history.list({ task });
    expect(items.map(({ command, outcome, exitCode }) => [command.join(' '), outcome, exitCode])).toEqual([
      ['true', 'done', 0],
      ['sh -c echo hello; exit 3', 'failed', 3],
    ]);
    const { backend } = place.subject;
    expect(items[1]).toMatchObject({ kind: 'exec', taskId: task, backend, reason: 'exited', bytes: 6, rule: null });
    expect(items[1]?.durationMs).toBeGreaterThanOrEqual(0);
    const nowhere = place.agent.run({ taskId: task, command: ['true'], cwd: '/no-such-directory' });
    await refused(nowhere, 'invalid_argument');
    const failed = await place.agent.history.list({ task, outcomes: ['failed', 'lost'] });
    expect(failed.items.map(({ outcome, reason, exitCode }) => [outcome, reason, exitCode])).toEqual([
      ['failed', 'not_started', null],
      ['failed', 'exited', 3],
    ]);
  });

  suite.test('history.list.kinds', 'tells commands, texts of sessions and detached processes apart', async (place) => {
    const taskId = await place.fresh();
    await place.agent.run({ taskId, command: ['true'] });
    await place.agent.sessions.run({ taskId, name: 'one', text: 'echo in a session' });
    const { id } = await place.agent.processes.start({ taskId, command: ['sh', '-c', 'exit 4'] });
    await place.agent.processes.wait(id);
    const { items } = await place.agent.history.list({ task: taskId });
    expect(items.map(({ kind, outcome, exitCode }) => [kind, outcome, exitCode])).toEqual([
      ['process', 'failed', 4],
      ['session', 'done', 0],
      ['exec', 'done', 0],
    ]);
    expect(items[0]?.execId).toBe(id);
  });

  suite.test('history.list.pages', 'gives each act once in parts of 2, and those of a time', async (place) => {
    const taskId = await place.fresh();
    for (const word of ['a', 'b', 'c', 'd', 'e']) await place.agent.run({ taskId, command: ['echo', word] });
    const parts = everyItem((page) => place.agent.history.list({ ...page, limit: 2, task: taskId }));
    const all = await Array.fromAsync(parts);
    expect(all.map(({ command }) => command[1]).join('')).toBe('edcba');
    const [, , middle] = all;
    const since = middle?.startedAt ?? '';
    const later = await place.agent.history.list({ task: taskId, since });
    const before = await place.agent.history.list({ task: taskId, until: since });
    expect(later.items.length + before.items.length).toBe(5);
    expect(later.items.every(({ startedAt }) => startedAt >= since)).toBe(true);
    await refused(place.agent.history.list({ since: 'yesterday' }), 'invalid_argument');
    await refused(place.agent.history.list({ limit: 0 }), 'invalid_argument');
  });
}
