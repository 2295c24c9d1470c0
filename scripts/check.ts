/** `npm run check`: what must hold before a commit. No engine, under a minute. */
import { pathToFileURL } from 'node:url';
import { closing, lineOf, runStep, runTests, sum, type Outcome } from './steps.ts';

/** The longest first, so that two cores end together. */
const checks: readonly (() => Promise<Outcome>)[] = [
  // The architecture test is one of the unit tests.
  () => runTests('unit tests', ['--project', 'unit'], { live: false }),
  () => runStep({ name: 'types', command: ['tsc', '-p', '.'] }, { live: false }),
  () => runStep({ name: 'lint', command: ['oxlint', '--type-aware', '--deny-warnings'] }, { live: false }),
  () => runStep({ name: 'shell', command: ['node', 'scripts/shellcheck.ts'] }, { live: false }),
  () => runStep({ name: 'dead code', command: ['knip'] }, { live: false }),
  () => runStep({ name: 'format', command: ['oxfmt', '--check'] }, { live: false }),
];

/** Two at a time. Tells each as it ends. */
export async function runChecks(): Promise<readonly Outcome[]> {
  const waiting = [...checks];
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
  return outcomes;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const outcomes = await runChecks();
  console.log(closing(sum(outcomes)));
  process.exitCode = outcomes.every(({ ok }) => ok) ? 0 : 1;
}
