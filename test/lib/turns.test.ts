import { expect, it } from 'vitest';
import { inTurn, turn } from '../../src/lib/turns.ts';

it('one slice runs in each turn of the event loop, in the order in which they were asked for', async () => {
  let turns = 0;
  const counting = (): void => {
    turns += 1;
    if (turns < 100) setImmediate(counting);
  };
  setImmediate(counting);
  const ran: (readonly [name: string, turns: number])[] = [];
  for (const name of ['a', 'b', 'c']) inTurn(() => ran.push([name, turns]));
  await turn();
  ran.push(['last', turns]);
  expect(ran.map(([name]) => name)).toEqual(['a', 'b', 'c', 'last']);
  expect(new Set(ran.map(([, at]) => at)).size).toBe(4);
});

it('a slice that brings another one waits for those before it', async () => {
  const ran: string[] = [];
  inTurn(() => {
    ran.push('a');
    inTurn(() => ran.push('a again'));
  });
  inTurn(() => ran.push('b'));
  await turn();
  await turn();
  expect(ran).toEqual(['a', 'b', 'a again']);
});
