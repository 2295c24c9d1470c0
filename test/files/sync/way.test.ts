import { describe, expect, it } from 'vitest';
import { blockedBy, directoriesToGo } from '../../../src/files/sync/way.ts';

const target = {
  files: new Map([
    ['gone/x', '1'],
    ['kept/x', '1'],
    ['file', '1'],
  ]),
  directories: new Set(['gone', 'gone/empty', 'kept', 'empty']),
  others: new Set(['link', 'way']),
};
const how = { overwrite: false, removes: true };

describe('what is in the way of a sync', () => {
  it('is anything that is no file, and is not emptied by it', () => {
    const plan = { send: ['gone', 'kept', 'empty', 'link', 'way/a', 'file/a', 'fine'], remove: ['gone/x'] };
    expect([...blockedBy(target, plan, how)]).toEqual(['kept', 'link', 'way/a', 'file/a']);
    expect([...blockedBy(target, plan, { ...how, overwrite: true })]).toEqual(['kept', 'way/a', 'file/a']);
    expect([...blockedBy(target, plan, { ...how, removes: false })]).toEqual(plan.send.slice(0, -1));
    expect([...blockedBy(target, { send: ['file/a'], remove: ['file'] }, how)]).toEqual([]);
  });

  it('goes with what was in it, where the source has no such directory', () => {
    const plan = { send: ['gone'], remove: ['gone/x', 'kept/deep/y', 'kept/x'] };
    expect(directoriesToGo(target, new Set(['kept']), plan)).toEqual(
      ['kept/deep', 'gone/empty', 'gone'].toSorted(deepest),
    );
  });
});

const deepest = (a: string, b: string): number => b.split('/').length - a.split('/').length;
