import { describe, expect, it } from 'vitest';
import { clockAt } from '../fixtures/clock.ts';
import { parseStat, startTimeOf } from '../../src/lib/start-time.ts';
import { isAlive, thisProcess } from '../../src/lib/holder.ts';

const rest = 'S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20';

describe('parseStat', () => {
  it.each([
    ['a plain name', `12 (node) ${rest}`],
    ['a name with a parenthesis and spaces', `12 (a) R 9 (b) ${rest}`],
    ['a name that looks like fields', `12 (x) S 1 1 1 1) ${rest}`],
  ])('reads field 22 behind %s', (_, stat) => {
    expect(parseStat(stat)).toBe('4711');
  });

  it('takes a zombie for dead: it still has an entry, but no process lives there', () => {
    expect(parseStat(`12 (node) ${rest.replace('S', 'Z')}`)).toBeNull();
  });

  it.each(['', '12', '12 (node)', '12 (node) '])('takes %j for no process', (stat) => {
    expect(parseStat(stat)).toBeNull();
  });
});

describe('isAlive', () => {
  const now = 1_000_000;
  const at = clockAt;
  const self = thisProcess('own_a', at(now));

  it.runIf(self.machine !== null)('knows this process, however old its heartbeat is', () => {
    expect(isAlive({ ...self, heartbeatAt: 0 }, at(now))).toBe(true);
  });

  it.runIf(self.machine !== null)('is not fooled by a process id that was used again', () => {
    expect(isAlive({ ...self, startTime: '1' }, at(now))).toBe(false);
  });

  it.runIf(self.machine !== null)('knows that there is no such process', () => {
    expect(startTimeOf(2 ** 22 + 1)).toBeNull();
    expect(isAlive({ ...self, pid: 2 ** 22 + 1 }, at(now))).toBe(false);
  });

  it.each([
    ['of another machine', { machine: 'another-boot pid:[1]' }],
    ['without a machine', { machine: null }],
    ['without a process id', { pid: null }],
  ])('believes the heartbeat of a holder %s for 20 seconds', (_, over) => {
    expect(isAlive({ ...self, ...over }, at(now + 20_000))).toBe(true);
    expect(isAlive({ ...self, ...over }, at(now + 20_001))).toBe(false);
  });

  it.each([3, -3])('believes a holder in another pid namespace of this boot across a step of %i days', (days) => {
    const holder = { ...self, machine: 'boot-1 pid:[1]', heartbeatBootMs: 500_000 };
    const stepped = (ms: number) => clockAt(now + days * 86_400_000, { id: 'boot-1', ms });
    expect(isAlive(holder, stepped(510_000))).toBe(true);
    expect(isAlive(holder, stepped(530_000))).toBe(false);
  });
});
