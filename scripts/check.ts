/** `npm run check`: what must hold before a commit. No engine, about a minute. */
import { pathToFileURL } from 'node:url';
import type { RunTimes } from '../test/reporters/times.ts';
import { closing, lineOf, runStep, sum, type Outcome, type Step } from './steps.ts';
import { runTests } from './tests.ts';
import { recordOf, writeRecord } from './times/record.ts';

/** The longest first, so that two cores end together. The architecture test is one of the unit tests, which come before them. */
const steps: readonly Step[] = [
  { name: 'types', command: ['tsc', '-p', '.'] },
  { name: 'types of page', command: ['tsc', '-p', 'dashboard'] },
  { name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] },
  { name: 'dead code', command: ['knip'] },
  { name: 'format', command: ['oxfmt', '--check'] },
  // The last one: on a new machine its program comes with the engines, which `npm test` installs beside these steps.
  { name: 'shell', command: ['node', 'scripts/shellcheck.ts'] },
];

/** Two steps at a time; `more` is run beside them. Prints each outcome as it comes. */
export async function runChecks(
  more: readonly Step[] = [],
): Promise<{ readonly outcomes: readonly Outcome[]; readonly times: RunTimes }> {
  let times: RunTimes = { files: [], cases: [] };
  const unit = async (): Promise<Outcome> => {
    const outcome = await runTests({ name: 'unit tests', projects: ['unit'], live: false });
    ({ times } = outcome);
    return outcome;
  };
  const waiting = [unit, ...[...more, ...steps].map((step) => () => runStep(step, { live: false }))];
  const outcomes: Outcome[] = [];
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const outcome = await next();
      outcomes.push(outcome);
      console.log(lineOf(outcome));
      if (!outcome.ok) console.log(outcome.output.trimEnd());
    }
  };
  await Promise.all([worker(), worker()]);
  return { outcomes, times };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const startedAt = new Date();
  const { outcomes, times } = await runChecks();
  writeRecord('check', recordOf(outcomes, times, startedAt), times);
  console.log(closing(sum(outcomes)));
  process.exitCode = outcomes.every(({ ok }) => ok) ? 0 : 1;
}
