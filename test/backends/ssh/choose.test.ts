import { describe, expect, it } from 'vitest';
import { type Candidate, order } from '../../../backends/ssh/choose.ts';
import { readMembers } from '../../../backends/ssh/members.ts';

const candidate = (host: string, more: Partial<Candidate<string>> = {}): Candidate<string> => ({
  host,
  capacity: 4,
  drain: false,
  sandboxes: 0,
  holds: false,
  ...more,
});

describe('the host of a new sandbox', () => {
  it.each<[string, Candidate<string>[], string[]]>([
    ['is the emptiest', [candidate('a', { sandboxes: 2 }), candidate('b', { sandboxes: 1 })], ['b', 'a']],
    [
      'is the emptiest for its size',
      [candidate('a', { sandboxes: 1, capacity: 2 }), candidate('b', { sandboxes: 2, capacity: 8 })],
      ['b', 'a'],
    ],
    ['is the first of equals', [candidate('a'), candidate('b')], ['a', 'b']],
    ['is not one that is full', [candidate('a', { sandboxes: 4 }), candidate('b', { sandboxes: 3 })], ['b']],
    ['is not one that is drained', [candidate('a', { drain: true }), candidate('b', { sandboxes: 3 })], ['b']],
    ['may be one without a capacity', [candidate('a', { capacity: null, sandboxes: 100 })], ['a']],
    [
      'is where the task was, full or drained',
      [candidate('a'), candidate('b', { holds: true, drain: true, sandboxes: 9 })],
      ['b'],
    ],
  ])('%s', (_what, candidates, wanted) => expect(order(candidates)).toEqual(wanted));

  it.each([
    ['there are none', []],
    [
      'all are full or drained',
      [candidate('a', { sandboxes: 4 }), candidate('b', { drain: true }), candidate('c', { capacity: 0 })],
    ],
  ])('is refused when %s', (_what, candidates) =>
    expect(() => order(candidates)).toThrow(expect.objectContaining({ code: 'resource_exhausted' })),
  );
});

describe('the hosts of the configuration', () => {
  it('are the one of ssh_host, or those of ssh_hosts with its keys as defaults', () => {
    expect(readMembers({ settings: { host: 'h', user: 'u', port: 1, key: null, hosts: {} } })).toEqual([
      { name: null, settings: { host: 'h', user: 'u', port: 1, key: null }, capacity: null, drain: false },
    ]);
    const hosts = { a: {}, b: { host: '10.0.0.7', user: 'other', port: 2222, capacity: 3, drain: true } };
    expect(readMembers({ settings: { host: null, user: 'u', port: null, key: '~/k', hosts } })).toEqual([
      { name: 'a', settings: { host: 'a', user: 'u', port: null, key: '~/k' }, capacity: null, drain: false },
      { name: 'b', settings: { host: '10.0.0.7', user: 'other', port: 2222, key: '~/k' }, capacity: 3, drain: true },
    ]);
  });

  it('are not both', () => {
    expect(() => readMembers({ settings: { host: 'h', hosts: { a: {} } } })).toThrow(
      expect.objectContaining({ code: 'failed_precondition' }),
    );
  });
});
