import { describe, expect, it, vi } from 'vitest';
import { CaissonError } from '../../src/errors.ts';
import { endInOrder, type Stage } from '../../src/service/closing.ts';

const never = new Promise<never>(() => undefined);
const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const patience = { patienceMs: 80, onGivenUp: () => undefined };

describe('an end in order', () => {
  it('begins each part when the one before has ended', async () => {
    const seen: string[] = [];
    const stage =
      (name: string): Stage =>
      () => {
        seen.push(`${name} begins`);
        return [{ what: name, ended: after(20).then(() => seen.push(`${name} ends`)) }];
      };
    await endInOrder([stage('a'), () => [], stage('b')], patience);
    expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('names what does not end, and ends the rest', async () => {
    const rest = vi.fn<Stage>(() => []);
    const onGivenUp = vi.fn<() => void>();
    const stuck: Stage = () => [
      { what: 'the removal of sbx_1', ended: never },
      { what: 'the removal of sbx_2', ended: after(10) },
    ];
    await expect(endInOrder([stuck, rest], { ...patience, onGivenUp })).rejects.toMatchObject({
      code: 'timed_out',
      message: 'nothing has ended for 0.08 s of: the removal of sbx_1',
      details: { waitedFor: ['the removal of sbx_1'] },
    });
    expect([rest.mock.calls.length, onGivenUp.mock.calls.length]).toEqual([1, 1]);
  });

  it('waits longer than its patience for a part of which something ends now and then', async () => {
    const slow: Stage = () => [50, 100, 150, 200].map((ms) => ({ what: `${ms}`, ended: after(ms) }));
    await expect(endInOrder([slow], patience)).resolves.toBeUndefined();
  });

  it('says what it waits for, once', async () => {
    const onWaiting = vi.fn<(what: readonly string[]) => void>();
    const slow: Stage = () => [
      { what: 'exec_1', ended: after(5) },
      { what: 'exec_2', ended: never },
    ];
    const end = endInOrder([slow], { patienceMs: 40, onGivenUp: () => undefined, onWaiting });
    await expect(end).rejects.toThrow('exec_2');
    expect(onWaiting.mock.calls).toEqual([[['exec_2']]]);
  });

  it('goes on after a part that fails, and throws its error at the end', async () => {
    const rest = vi.fn<Stage>(() => []);
    const fails: Stage = () => [{ what: 'a', ended: Promise.reject(new CaissonError('unavailable', 'no engine')) }];
    const throws: Stage = () => {
      throw new CaissonError('internal', 'later');
    };
    await expect(endInOrder([fails, throws, rest], patience)).rejects.toMatchObject({ message: 'no engine' });
    expect(rest).toHaveBeenCalled();
  });
});
