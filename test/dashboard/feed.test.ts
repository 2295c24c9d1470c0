import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Feed } from '../../dashboard/src/live/feed.ts';

beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }));
afterEach(() => void vi.useRealTimers());

interface Change {
  readonly seq: number;
  readonly type: 'exec.started' | 'network.denied';
  readonly data: Readonly<Record<string, unknown>>;
}

/** A service whose streams a test fills and breaks. */
function service(newest: number) {
  const asked: unknown[] = [];
  let push: (change: Change | Error) => void = () => undefined;
  const kept = () => Promise.resolve({ oldest: 1, newest });
  const follow = async function* (how: object, { signal }: { readonly signal?: AbortSignal } = {}) {
    asked.push(how);
    const waiting: (Change | Error)[] = [];
    let wake = (): void => undefined;
    push = (change) => {
      waiting.push(change);
      wake();
    };
    const isOpen = (): boolean => signal?.aborted !== true;
    signal?.addEventListener('abort', () => wake());
    while (isOpen()) {
      const next = waiting.shift();
      if (next instanceof Error) throw next;
      if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
      else yield Object({ at: new Date().toISOString(), owner: 'operator', author: 'x', reason: null, ...next });
    }
  };
  return { asked, push: (change: Change | Error) => push(change), events: { kept, follow } };
}

const started = (seq: number): Change => ({ seq, type: 'exec.started', data: { taskId: 'build' } });
const denied = (seq: number, data: object): Change => ({
  seq,
  type: 'network.denied',
  data: { taskId: 'build', ...data },
});

it('begins behind the newest event, and tells many changes once, and the next ones two seconds later', async () => {
  const { events, push, asked } = service(41);
  const feed = new Feed(events);
  const heard: number[] = [];
  feed.listen(() => void heard.push(Date.now() - 1_000_000));
  await vi.advanceTimersByTimeAsync(1000);
  expect(asked).toEqual([{ after: 41, follow: true }]);
  expect(heard).toEqual([200]);
  for (let seq = 42; seq < 142; seq++) push(started(seq));
  await vi.advanceTimersByTimeAsync(5000);
  expect(heard).toEqual([200, 2200]);
  feed.close();
});

it('counts denied connections of a task within the last minute', async () => {
  const { events, push } = service(0);
  const feed = new Feed(events);
  await vi.advanceTimersByTimeAsync(0);
  push(denied(1, { count: 4 }));
  push(denied(2, {}));
  push(denied(3, { taskId: 'other' }));
  push(denied(4, { taskId: 7 }));
  await vi.advanceTimersByTimeAsync(300);
  expect([feed.denials('build', Date.now()), feed.denials('other', Date.now())]).toEqual([5, 1]);
  expect(feed.denials('build', Date.now() + 61_000)).toBe(0);
  feed.close();
});

it('begins again when the stream breaks, with a look at all, until it is closed', async () => {
  const { events, push, asked } = service(9);
  const feed = new Feed(events);
  let heard = 0;
  const leave = feed.listen(() => void (heard += 1));
  await vi.advanceTimersByTimeAsync(1000);
  push(new Error('away'));
  await vi.advanceTimersByTimeAsync(6000);
  expect([asked.length, heard]).toEqual([2, 2]);
  leave();
  feed.close();
  push(started(10));
  await vi.advanceTimersByTimeAsync(10_000);
  expect([asked.length, heard]).toEqual([2, 2]);
});
