import { expect, it } from 'vitest';
import { Requests } from '../../src/access/tokens/requests.ts';

const refused = (retryAfterSeconds: number) =>
  expect.objectContaining({ code: 'resource_exhausted', details: expect.objectContaining({ retryAfterSeconds }) });

it('requests beyond the limit of a minute are refused until the minute is over', () => {
  let nowMs = 0;
  const requests = new Requests(() => nowMs);
  const alice = [{ of: 'owner alice', max: 2 }];
  requests.count(alice);
  nowMs = 20_500;
  requests.count(alice);
  expect(() => requests.count(alice)).toThrow(refused(40));
  requests.count([{ of: 'owner bob', max: 2 }]);
  nowMs = 60_000;
  expect(() => requests.count(alice)).not.toThrow();
});

it('what the token is refused for does not count for its owner', () => {
  const requests = new Requests(() => 0);
  const both = [
    { of: 'owner alice', max: 2 },
    { of: 'token tok_a', max: 1 },
  ];
  requests.count(both);
  for (let n = 0; n < 5; n++) expect(() => requests.count(both)).toThrow(refused(60));
  expect(() => requests.count([{ of: 'owner alice', max: 2 }])).not.toThrow();
});

it('counters stay within 10 000, of however many callers', () => {
  const requests = new Requests(() => 0);
  for (let n = 0; n < 10_500; n++) requests.count([{ of: `token ${n}`, max: 1 }]);
  expect(requests.size).toBe(10_000);
});
