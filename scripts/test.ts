/**
 * `npm test`: everything, but for long files whose turn it is not (`test/turns.ts`). Goes on after a failure, so that one run shows all of them, except without engines: then
 * nothing of what follows could be believed. What starts processes or needs an engine is one run of vitest, with its longest
 * files first, so that no core waits between suites.
 */
import { seedOfRun } from '../test/oracle/random.ts';
import type { RunTimes } from '../test/reporters/times.ts';
import { runChecks } from './check.ts';
import { tellConformance } from './conformance.ts';
import { closing, lineOf, type Outcome, sum } from './steps.ts';
import { type Project, runTests, tallyIn } from './tests.ts';
import { recordOf, writeRecord } from './times/record.ts';

const engines = { name: 'engines', command: ['node', 'scripts/engines.ts'] } as const;
const build = { name: 'build', command: ['node', 'scripts/build.ts'] } as const;
const places: readonly Project[] = ['processes', 'conformance', 'e2e'];
/** Suites against the services themselves; each says which variables it needs. */
const hasAccount = [process.env['CAISSON_LIVE_MODAL'], process.env['CAISSON_LIVE_DAYTONA']].includes('1');

async function runPlaces(): Promise<{ readonly outcome: Outcome; readonly times: RunTimes }> {
  const projects = hasAccount ? ([...places, 'live'] as const) : places;
  const seed = seedOfRun();
  console.log(`long files take turns: those of seed ${seed}`);
  const env = { CAISSON_TEST_PACKED: '1', CAISSON_TEST_TURN: String(seed) };
  const outcome = await runTests({ name: 'real places', projects, env, live: true });
  const isTold = await tellConformance(outcome.report);
  return { outcome: { ...outcome, ok: outcome.ok && isTold }, times: outcome.times };
}

const startedAt = new Date();
const checked = await runChecks([engines, build]);
const outcomes: Outcome[] = [...checked.outcomes];
let times = checked.times;
if (outcomes.every(({ name, ok }) => ok || name !== engines.name)) {
  const real = await runPlaces();
  outcomes.push(real.outcome);
  times = { files: [...times.files, ...real.times.files], cases: [...times.cases, ...real.times.cases] };
}
writeRecord('test', recordOf(outcomes, times, startedAt), times);

console.log('');
if (!hasAccount) console.log('NOT RUN: the live suites of modal and daytona, which need accounts (test/live)');
for (const outcome of outcomes) console.log(lineOf(outcome));
for (const project of places) console.log(`      of these, ${project}: ${closing(tallyIn(times, project))}`);
console.log(`\n${closing(sum(outcomes))}`);
process.exitCode = outcomes.every(({ ok }) => ok) ? 0 : 1;
