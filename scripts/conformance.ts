/**
 * `npm run test:conformance -- [--backend NAME] [--write]`: the one suite on one or all backends, and a table of how they
 * stand. docs/conformance.md has the counts too: `--write` sets them, and where engines are required, others are a failure.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { withCounts } from '../test/conformance/counted-page.ts';
import { summarize, type Row } from '../test/conformance/results.ts';
import { enginesRequired } from '../test/engines/places.ts';
import { testFiles } from '../test/projects.ts';
import { lineOf, type Outcome } from './steps.ts';
import { runTests } from './tests.ts';

/** `null`: all backends. */
async function runConformance(backend: string | null, { write }: { readonly write: boolean }): Promise<Outcome> {
  const { conformance } = await testFiles(fileURLToPath(new URL('..', import.meta.url)));
  // Such as `singularity`, and `singularity-user`.
  const isOf = (part: string): boolean => part === backend || part.startsWith(`${backend}-`);
  const files = backend === null ? conformance : conformance.filter((path) => path.split(/[/.]/).some(isOf));
  if (files.length === 0)
    throw new Error(`no conformance test of ${backend ?? 'any backend'}; there are: ${conformance.join(', ')}`);
  const outcome = await runTests({ name: 'conformance', projects: ['conformance'], files, live: true });
  const isTold = await tellConformance(outcome.report, { write });
  return { ...outcome, ok: outcome.ok && isTold };
}

/** Prints the table of a run. False when docs/conformance.md has other counts, where engines are required. */
export async function tellConformance(
  report: unknown,
  { write }: { readonly write: boolean } = { write: false },
): Promise<boolean> {
  const rows = summarize(report);
  console.log(table(rows));
  return (await tellPage(rows, write)) || !enginesRequired();
}

/** False when docs/conformance.md has other counts, and still does. */
async function tellPage(rows: readonly Row[], write: boolean): Promise<boolean> {
  const path = new URL('../docs/conformance.md', import.meta.url);
  const page = await readFile(path, 'utf8');
  const counted = withCounts(page, rows);
  if (counted === page) return true;
  if (write) await writeFile(path, counted);
  else console.log('docs/conformance.md has other counts: npm run test:conformance -- --write');
  return write;
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
  const { values } = parseArgs({
    options: { backend: { type: 'string' }, write: { type: 'boolean', default: false } },
  });
  const outcome = await runConformance(values.backend ?? null, { write: values.write });
  console.log(`\n${lineOf(outcome)}`);
  process.exitCode = outcome.ok ? 0 : 1;
}
