/** `npm run test:conformance -- [--backend NAME]`: the one suite on one or all backends, and a table of how they stand. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { summarize, type Row } from '../test/conformance/results.ts';
import { testFiles } from '../test/projects.ts';
import { lineOf, runTests, type Outcome } from './steps.ts';

/** `null`: all backends. */
export async function runConformance(backend: string | null): Promise<Outcome> {
  const { conformance } = await testFiles(fileURLToPath(new URL('..', import.meta.url)));
  const files = backend === null ? conformance : conformance.filter((path) => path.split(/[/.]/).includes(backend));
  if (files.length === 0)
    throw new Error(`no conformance test of ${backend ?? 'any backend'}; there are: ${conformance.join(', ')}`);
  const outcome = await runTests('conformance', ['--project', 'conformance', ...files], { live: true });
  console.log(table(summarize(outcome.report)));
  return outcome;
}

export function table(rows: readonly Row[]): string {
  const head = ['backend', 'cases', 'passed', 'failed', 'absent', 'deviations'];
  const cells = rows.map((row) =>
    [row.backend, row.cases, row.passed, row.failed.length, row.absent.length, row.deviations.length].map(String),
  );
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((line) => line[column]?.length ?? 0)));
  const lines = [head, ...cells].map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return [...lines, ...rows.flatMap(remarks)].join('\n');
}

function remarks(row: Row): readonly string[] {
  return [
    ...(row.notRun === null ? [] : [`${row.backend}: NOT RUN: ${row.notRun}`]),
    ...(row.absent.length === 0 ? [] : [`${row.backend}: absent, and refused properly: ${row.absent.join(', ')}`]),
    ...row.deviations.map(({ id, reason }) => `${row.backend}: deviates in ${id}: ${reason}`),
    ...row.failed.map((id) => `${row.backend}: FAILED ${id}`),
  ];
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { values } = parseArgs({ options: { backend: { type: 'string' } } });
  const outcome = await runConformance(values.backend ?? null);
  console.log(`\n${lineOf(outcome)}`);
  process.exitCode = outcome.ok ? 0 : 1;
}
