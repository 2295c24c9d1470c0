/**
 * `npm test`: everything. Goes on after a failure, so that one run shows all of them, except without engines: then
 * nothing of what follows could be believed.
 */
import { runChecks } from './check.ts';
import { runConformance } from './conformance.ts';
import { closing, lineOf, runStep, runTests, sum, type Outcome } from './steps.ts';

const outcomes: Outcome[] = [];
/** Suites against the services themselves; each says which variables it needs. */
const hasAccount = [process.env['CAISSON_LIVE_MODAL'], process.env['CAISSON_LIVE_DAYTONA']].includes('1');

function tell(outcome: Outcome): void {
  outcomes.push(outcome);
  console.log(`\n${lineOf(outcome)}\n`);
}

tell(await runStep({ name: 'engines', command: ['node', 'scripts/engines.ts'] }, { live: true }));
if (outcomes.every(({ ok }) => ok)) {
  outcomes.push(...(await runChecks()));
  tell(await runStep({ name: 'build', command: ['node', 'scripts/build.ts'] }, { live: true }));
  tell(await runTests('processes', ['--project', 'processes'], { live: true }));
  tell(await runConformance(null));
  tell(await runTests('end to end', ['--project', 'e2e'], { live: true }));
  if (hasAccount) tell(await runTests('live', ['--project', 'live'], { live: true }));
}

console.log('');
if (!hasAccount) console.log('NOT RUN: the live suites of modal and daytona, which need accounts (test/live)');
for (const outcome of outcomes) console.log(lineOf(outcome));
console.log(`\n${closing(sum(outcomes))}`);
process.exitCode = outcomes.every(({ ok }) => ok) ? 0 : 1;
