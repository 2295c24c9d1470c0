/** Rules that do not hold: noticed by the way, and then nothing passes unasked where they would count. */
import { expect, it } from 'vitest';
import { ExamplesStep } from '../../src/guard/examples-step.ts';
import { Gate, type Admission } from '../../src/guard/gate.ts';
import { checkedExamples } from '../../src/policy/examples.ts';
import type { RuleExamples } from '../../src/policy/types.ts';
import { call } from './world.ts';

const good: RuleExamples = { rule: 'D1', examples: 2, problems: [] };
const bad: RuleExamples = { rule: 'D2', examples: 2, problems: ['does not find: x'] };

const quick = { afterMs: 0, betweenMs: 0 };

function gateWith(step: ExamplesStep): { readonly admit: (reach?: 'host' | 'container') => Promise<Admission> } {
  const passages: Admission[] = [];
  const gate = new Gate([step], (_from, outcome) => {
    if (!('refused' in outcome)) passages.push(outcome);
  });
  return {
    admit: async (reach = 'host') => {
      await gate.admit(call('ls', { reach }), {});
      const last = passages.at(-1);
      if (last === undefined) throw new Error('nothing passed');
      return last;
    },
  };
}

it('the first verdict waits for nothing', async () => {
  let asked = false;
  const examples = async (): Promise<readonly RuleExamples[]> => {
    asked = true;
    return await Promise.resolve([bad]);
  };
  const { admit } = gateWith(new ExamplesStep({ examples, ...quick }));
  expect((await admit()).decision.verdict).toBe('allow');
  expect(asked).toBe(false);
});

it('once a rule has failed, what would pass on a host is asked about, and the rule is named', async () => {
  const { admit } = gateWith(new ExamplesStep({ examples: () => Promise.resolve([good, bad]), ...quick }));
  await admit();
  await expect
    .poll(async () => (await admit()).decision)
    .toMatchObject({ verdict: 'ask', findings: [{ rule: 'U10', description: expect.stringContaining('(D2)') }] });
  expect((await admit('container')).decision.verdict).toBe('allow');
});

it('changes nothing when all hold, and looks once', async () => {
  let looked = 0;
  const examples = async (): Promise<Iterable<RuleExamples>> => {
    looked += 1;
    return await checkedExamples();
  };
  const { admit } = gateWith(new ExamplesStep({ examples, ...quick }));
  for (let times = 0; times < 3; times += 1) await admit();
  await expect.poll(() => looked).toBe(1);
  expect((await admit()).decision.verdict).toBe('allow');
});

it('takes a rule at a time', async () => {
  const taken: string[] = [];
  function* examples(): Generator<RuleExamples> {
    for (const each of [bad, good]) {
      taken.push(each.rule);
      yield each;
    }
  }
  const step = new ExamplesStep({ examples: () => Promise.resolve(examples()), afterMs: 0, betweenMs: 60_000 });
  const { admit } = gateWith(step);
  await admit();
  await expect.poll(async () => (await admit()).decision.verdict).toBe('ask');
  expect(taken).toEqual(['D2']);
});
