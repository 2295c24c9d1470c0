import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { HeldBudget, maxWaiting } from '../../src/budget/budget.ts';
import type { Share } from '../../src/budget/types.ts';

const budgetOf = (total: number | null, perOwner: number | null) =>
  new HeldBudget('questions', () => ({ total, perOwner }));

const refusal = expect.objectContaining({ code: 'resource_exhausted' });

/** Takes all of a budget of `total` for one owner, and gives the function that frees one by one. */
const held = (budget: HeldBudget, owner: string, count: number): Share[] =>
  Array.from({ length: count }, () => budget.take(owner));

describe('a budget that refuses', () => {
  it('refuses an owner beyond its own limit, and no other owner', () => {
    const budget = budgetOf(10, 2);
    held(budget, 'mallory', 2);
    expect(() => budget.take('mallory')).toThrow(
      expect.objectContaining({
        code: 'resource_exhausted',
        message: 'mallory holds 2 open questions, and may hold 2',
        remedy: expect.stringContaining('server.limits.questions.per_owner'),
        details: expect.objectContaining({ budget: 'questions', reason: 'owner', owner: 'mallory', used: 2, most: 2 }),
      }),
    );
    expect(budget.take('alice').amount).toBe(1);
  });

  it('refuses all owners beyond the total, and names the use of the asker alone', () => {
    const budget = budgetOf(3, 2);
    held(budget, 'mallory', 2);
    held(budget, 'alice', 1);
    expect(() => budget.take('bob')).toThrow(
      expect.objectContaining({
        message: 'all owners together may hold 3 open questions, of which bob holds 0',
        details: expect.objectContaining({ reason: 'total', used: 0, most: 3 }),
      }),
    );
  });

  it('gives the operator the total', () => {
    const budget = budgetOf(5, 1);
    held(budget, 'operator', 5);
    expect(() => budget.take('operator')).toThrow(refusal);
  });

  it('limits nothing where both limits are null', () => {
    expect(budgetOf(null, null).take('mallory', 2 ** 50).amount).toBe(2 ** 50);
  });

  it('takes a share back once, however often it is freed', () => {
    const budget = budgetOf(4, 4);
    const [first] = held(budget, 'alice', 3);
    first?.free();
    first?.free();
    expect(budget.figures()).toMatchObject({ used: 2, largest: { owner: 'alice', used: 2 } });
  });

  it('lets a share grow up to the limit, and keeps what it has when more is refused', () => {
    const budget = budgetOf(10, 4);
    const share = budget.take('alice', 1);
    share.grow(3);
    expect(() => share.grow(1)).toThrow(refusal);
    expect([share.amount, budget.figures().used]).toEqual([4, 4]);
    share.free();
    expect(budget.figures()).toMatchObject({ used: 0, largest: null });
  });

  it('holds what was read last', () => {
    let perOwner = 1;
    const budget = new HeldBudget('questions', () => ({ total: 9, perOwner }));
    budget.take('alice');
    expect(() => budget.take('alice')).toThrow(refusal);
    perOwner = 2;
    expect(budget.take('alice').amount).toBe(1);
  });

  it('counts refusals by their reason, and knows who was refused last', () => {
    const budget = budgetOf(2, 1);
    held(budget, 'mallory', 1);
    expect(() => budget.take('mallory')).toThrow(refusal);
    held(budget, 'alice', 1);
    expect(() => budget.take('bob')).toThrow(refusal);
    expect(budget.figures()).toMatchObject({
      total: 2,
      perOwner: 1,
      refused: { owner: 1, total: 1, waiting: 0 },
      lastRefused: { owner: 'bob' },
    });
  });
});

describe('a budget with a queue', () => {
  it('serves the owner that holds the least first, however many requests another owner has before it', async () => {
    const budget = budgetOf(2, null);
    const shares = held(budget, 'mallory', 2);
    const order: string[] = [];
    const enter = async (owner: string): Promise<void> => {
      const share = await budget.wait(owner);
      order.push(owner);
      shares.push(share);
    };
    const all = [...Array.from({ length: 20 }, () => 'mallory'), 'alice'].map(enter);
    for (let left = 21; left > 0; left -= 1) {
      shares.shift()?.free();
      await turn();
    }
    await Promise.all(all);
    expect(order.indexOf('alice')).toBe(0);
    expect(order).toHaveLength(21);
  });

  it('serves owners that hold as much in turn', async () => {
    const budget = budgetOf(1, null);
    const first = budget.take('carol');
    const order: string[] = [];
    const enter = async (owner: string): Promise<void> => {
      const share = await budget.wait(owner);
      order.push(owner);
      share.free();
    };
    const all = ['a', 'a', 'b', 'b', 'c'].map(enter);
    first.free();
    await Promise.all(all);
    expect(order).toEqual(['a', 'b', 'c', 'a', 'b']);
  });

  it('lets no small request pass a large one that waits for room', async () => {
    const budget = budgetOf(10, null);
    const first = budget.take('carol', 8);
    const order: string[] = [];
    const large = budget.wait('alice', { amount: 10 }).then((share) => (order.push('large'), share.free()));
    const small = budget.wait('bob', { amount: 1 }).then((share) => (order.push('small'), share.free()));
    await turn();
    expect(order).toEqual([]);
    first.free();
    await Promise.all([large, small]);
    expect(order).toEqual(['large', 'small']);
  });

  it('does not let an owner at its own limit hold up the others', async () => {
    const budget = budgetOf(10, 2);
    held(budget, 'mallory', 2);
    void budget.wait('mallory');
    expect((await budget.wait('alice')).amount).toBe(1);
    expect(budget.figures().waiting).toBe(1);
  });

  it('refuses at once what the owner may never hold', async () => {
    await expect(budgetOf(10, 2).wait('alice', { amount: 3 })).rejects.toMatchObject({ details: { reason: 'owner' } });
    await expect(budgetOf(10, 20).wait('alice', { amount: 11 })).rejects.toMatchObject({
      details: { reason: 'total' },
    });
  });

  it('refuses an owner with too many requests that wait, and lets another wait', async () => {
    const budget = budgetOf(1, 1);
    budget.take('mallory');
    for (let count = 0; count < maxWaiting; count += 1) void budget.wait('mallory');
    await expect(budget.wait('mallory')).rejects.toMatchObject({ details: { reason: 'waiting', most: maxWaiting } });
    void budget.wait('alice');
    expect(budget.figures()).toMatchObject({ waiting: maxWaiting + 1, refused: { waiting: 1 } });
  });

  it('forgets a request whose signal fires, and serves those that it held up', async () => {
    const budget = budgetOf(10, null);
    budget.take('carol', 8);
    const leaving = new AbortController();
    const large = budget.wait('alice', { amount: 10, signal: leaving.signal });
    const small = budget.wait('bob', { amount: 1 });
    leaving.abort();
    await expect(large).rejects.toMatchObject({ code: 'canceled' });
    expect((await small).amount).toBe(1);
    expect(budget.figures()).toMatchObject({ used: 9, waiting: 0 });
  });

  it('does not begin to wait after its signal', async () => {
    await expect(budgetOf(1, 1).wait('alice', { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'canceled',
    });
  });
});
