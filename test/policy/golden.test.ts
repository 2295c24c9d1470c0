/**
 * CP-27: what every command of a long list is answered, in every mode. A change of rules shows here as a diff to read.
 * After reading it: `npx vitest run test/policy/golden.test.ts -u`.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { unansweredOf } from '../../src/policy/approval/needed.ts';
import type { Policy } from '../../src/policy/policy.ts';
import type { Decision, Reach } from '../../src/policy/types.ts';
import { decide, guarded, policyWith } from './opened.ts';

interface Column {
  readonly policy: Policy;
  readonly reach: Reach;
  /** Questions about dangers are skipped: YOLO, or `approvals.mode: off`. */
  readonly off?: boolean;
}

const standard = policyWith();

const columns: Readonly<Record<string, Column>> = {
  host: { policy: standard, reach: 'host' },
  off: { policy: standard, reach: 'host', off: true },
  cautious: { policy: policyWith({ mode: 'cautious' }), reach: 'host' },
  supervised: { policy: policyWith({ mode: 'supervised' }), reach: 'host' },
  plan: { policy: policyWith({ mode: 'plan' }), reach: 'host' },
  strict: { policy: policyWith({ profile: 'strict' }), reach: 'host' },
  listed: { policy: guarded, reach: 'host' },
  container: { policy: standard, reach: 'container' },
  'c-hardline': { policy: policyWith({ containerHardline: true }), reach: 'container' },
  'c-listed': { policy: guarded, reach: 'container' },
};
const width = 11;

const topics = z
  .record(z.string(), z.array(z.string()))
  .parse(parse(readFileSync(new URL('golden/commands.yaml', import.meta.url), 'utf8')));

it(
  'CP-27: a long list of commands is answered in every mode as it was the last time',
  { timeout: 120_000 },
  async () => {
    const head = [...Object.keys(columns).map((name) => name.padEnd(width)), 'findings on a host'].join('');
    const parts = Object.entries(topics).map(([topic, commands]) => `\n# ${topic}\n${commands.map(row).join('')}`);
    await expect(`${head}\n${parts.join('')}`).toMatchFileSnapshot('golden/verdicts.txt');
  },
);

it('has no command twice in the list', () => {
  const all = Object.values(topics).flat();
  expect(all.filter((command, at) => all.indexOf(command) !== at)).toEqual([]);
  expect(all.length).toBeGreaterThan(600);
});

function row(command: string): string {
  const verdicts = Object.values(columns).map((column) => verdictIn(column, command).padEnd(width));
  const rules = [...new Set(decide(command).findings.map(({ rule }) => rule))].join(' ');
  return `${verdicts.join('')}${rules.padEnd(12)} ${JSON.stringify(command)}\n`;
}

function verdictIn({ policy, reach, off = false }: Column, command: string): string {
  const decision = decide(command, { policy, reach });
  return off && isSkipped(decision) ? 'allow' : decision.verdict;
}

const isSkipped = (decision: Decision): boolean =>
  decision.verdict === 'ask' && unansweredOf(decision, { skips: true, session: new Set(), exact: '' }).length === 0;
