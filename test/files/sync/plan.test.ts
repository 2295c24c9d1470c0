import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planSync } from '../../../src/files/sync/plan.ts';

const none = new Map<string, string>();
const hashes = (files: Readonly<Record<string, string>>): ReadonlyMap<string, string> => new Map(Object.entries(files));

describe('a sync', () => {
  it('sends what is new or changed, and nothing else', () => {
    const sides = { from: hashes({ same: '1', changed: '2', fresh: '3' }), to: hashes({ same: '1', changed: '1' }) };
    expect(planSync({ ...sides, agreed: hashes({ same: '1', changed: '1' }), placed: none }, false)).toEqual({
      send: ['changed', 'fresh'],
      remove: [],
      conflicts: [],
      unchanged: 1,
    });
  });

  it('leaves alone what was changed at the target, unless that is wanted', () => {
    const sides = {
      from: hashes({ a: '2', b: '1' }),
      to: hashes({ a: '3', b: '3' }),
      agreed: hashes({ a: '1', b: '1' }),
      placed: none,
    };
    expect(planSync(sides, false)).toMatchObject({ send: [], conflicts: ['a', 'b'] });
    expect(planSync(sides, true)).toMatchObject({ send: ['a', 'b'], conflicts: [] });
    expect(planSync({ ...sides, agreed: hashes({}) }, false)).toMatchObject({ send: [], conflicts: ['a', 'b'] });
  });

  it('removes what is gone at the source, if it is what was sent there', () => {
    const sides = {
      from: hashes({}),
      to: hashes({ a: '1', b: '2', own: '3' }),
      agreed: hashes({ a: '1', b: '1', c: '1' }),
      placed: none,
    };
    expect(planSync(sides, false)).toMatchObject({ remove: ['a'], conflicts: ['b'] });
    expect(planSync(sides, true)).toMatchObject({ remove: ['a', 'b'], conflicts: [] });
  });

  it('takes what a sync that did not end may have put there for its own', () => {
    const sides = { from: hashes({ a: '3' }), to: hashes({ a: '2', b: '2', c: '9' }), agreed: hashes({ a: '1' }) };
    const placed = hashes({ a: '2', b: '2', c: '2' });
    expect(planSync({ ...sides, placed }, false)).toMatchObject({ send: ['a'], remove: ['b'], conflicts: [] });
  });

  it('never touches what the target alone has changed, whatever the three sides hold', () => {
    const side = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.constantFrom('1', '2', '3'));
    fc.assert(
      fc.property(side, side, side, side, (from, to, agreed, placed) => {
        const sides = { from: hashes(from), to: hashes(to), agreed: hashes(agreed), placed: hashes(placed) };
        const plan = planSync(sides, false);
        for (const path of [...plan.send, ...plan.remove])
          expect([undefined, agreed[path], placed[path]]).toContain(to[path]);
        const reported = [...plan.send, ...plan.conflicts];
        for (const [path, hash] of Object.entries(from)) expect(reported.includes(path)).toBe(to[path] !== hash);
      }),
    );
  });
});
