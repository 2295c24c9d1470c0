/** When a trial of network policies is made anew, in a process that runs for days. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Here } from '../../../backends/kubernetes/here.ts';
import { Proving } from '../../../backends/kubernetes/proof.ts';
import type { Verdict } from '../../../backends/kubernetes/verdict.ts';
import type { Kept } from '../../../src/backend.ts';

const proved: Verdict = { is: 'proved', ways: ['inbound'] };
const open: Verdict = { is: 'open', ways: ['inbound'] };
const silent: Verdict = { is: 'unknown', why: 'the cluster did not answer', mayPass: true };
const minuteMs = 60_000;

/** What names the subject of a verdict. The type is forced: trials are given by the test, so that nothing else of a cluster is read. */
const here = {
  namespace: { api: { access: { place: { server: 'https://c', namespace: 'n' } } } },
  refusals: () => ({ ranges: ['10.0.0.0/8'], opened: [] }),
} as unknown as Here;

function inMemory(): Kept {
  const values = new Map<string, unknown>();
  return { read: (name) => values.get(name) ?? null, write: (name, value) => void values.set(name, value) };
}

/** Each trial shows the next of these; the last one stays. */
function proving(verdicts: readonly Verdict[], kept = inMemory()) {
  const trial = vi.fn<() => Promise<Verdict>>();
  for (const verdict of verdicts) trial.mockResolvedValueOnce(verdict);
  return { trial, kept, proving: new Proving({ instance: 'i', kept }, trial) };
}

async function after(minutes: number, { proving: one }: { readonly proving: Proving }): Promise<Verdict> {
  vi.advanceTimersByTime(minutes * minuteMs);
  const { verdict } = await one.known(here);
  await Promise.resolve();
  return verdict;
}

beforeEach(() => void vi.useFakeTimers({ now: 1_800_000_000_000 }));
afterEach(() => void vi.useRealTimers());

it('makes one trial for all that ask at the same time', async () => {
  const one = proving([proved]);
  const all = await Promise.all([one.proving.known(here), one.proving.known(here)]);
  expect(all.map(({ verdict }) => verdict)).toEqual([proved, proved]);
  expect(one.trial).toHaveBeenCalledTimes(1);
});

it('sees within an hour that the cluster applies policies by now, without a wait', async () => {
  const one = proving([open, proved]);
  expect(await after(0, one)).toEqual(open);
  expect(await after(59, one)).toEqual(open);
  expect(one.trial).toHaveBeenCalledTimes(1);
  expect(await after(2, one)).toEqual(open);
  expect(one.trial).toHaveBeenCalledTimes(2);
  expect(await after(0, one)).toEqual(proved);
});

it('sees within a day that the cluster does not apply them any more', async () => {
  const one = proving([proved, open]);
  expect(await after(0, one)).toEqual(proved);
  expect(await after(25 * 60, one)).toEqual(proved);
  expect(await after(0, one)).toEqual(open);
});

it('asks a cluster that did not answer again after five minutes', async () => {
  const one = proving([silent, proved]);
  expect(await after(0, one)).toEqual(silent);
  expect(await after(4, one)).toEqual(silent);
  expect(one.trial).toHaveBeenCalledTimes(1);
  expect(await after(2, one)).toEqual(silent);
  expect(await after(0, one)).toEqual(proved);
});

it('takes the later verdict of another process', async () => {
  const one = proving([open]);
  expect(await after(0, one)).toEqual(open);
  vi.advanceTimersByTime(minuteMs);
  await proving([proved], one.kept).proving.renewed(here, {});
  expect(await after(0, one)).toEqual(proved);
  expect(one.proving.lately(here).verdict).toEqual(proved);
  expect(one.trial).toHaveBeenCalledTimes(1);
});
