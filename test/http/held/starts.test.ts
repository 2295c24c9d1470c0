import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Starts } from '../../../src/http/held/starts.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const begun = (starts: Starts, key: string | null) => {
  const [left, closing] = [new AbortController(), new AbortController()];
  const { signal, over } = starts.begin(key, { left: left.signal, closing: closing.signal });
  return { signal, over, leave: () => left.abort(), close: () => closing.abort() };
};

it('a client that leaves takes its start back, at once where it has no id by which to come back', () => {
  const starts = new Starts();
  const nameless = begun(starts, null);
  nameless.leave();
  expect(nameless.signal.aborted).toBe(true);
  const named = begun(starts, 'a');
  named.leave();
  vi.advanceTimersByTime(4_900);
  expect(named.signal.aborted).toBe(false);
  vi.advanceTimersByTime(200);
  expect(named.signal.aborted).toBe(true);
});

it('a client that comes back keeps its start, and both end when it leaves again', () => {
  const starts = new Starts();
  const first = begun(starts, 'a');
  first.leave();
  vi.advanceTimersByTime(3_000);
  const second = begun(starts, 'a');
  vi.advanceTimersByTime(60_000);
  expect([first.signal.aborted, second.signal.aborted]).toEqual([false, false]);
  second.leave();
  vi.advanceTimersByTime(5_100);
  expect([first.signal.aborted, second.signal.aborted]).toEqual([true, true]);
});

it('a start that the client does not want any more, or of a service that stops, is taken back at once', () => {
  const starts = new Starts();
  const unwanted = begun(starts, 'a');
  starts.takeBack('b');
  expect(unwanted.signal.aborted).toBe(false);
  starts.takeBack('a');
  expect(unwanted.signal.aborted).toBe(true);
  const stopped = begun(starts, 'c');
  stopped.close();
  expect(stopped.signal.aborted).toBe(true);
});

it('a command that has started goes on by itself', () => {
  const starts = new Starts();
  const started = begun(starts, 'a');
  started.over();
  started.leave();
  starts.takeBack('a');
  vi.advanceTimersByTime(60_000);
  expect(started.signal.aborted).toBe(false);
});
