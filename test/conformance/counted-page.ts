/** The table of counts in docs/conformance.md, between two marks, as runs of the suite tell them. */
import type { Row } from './results.ts';

const opening = '<!-- conformance -->';
const closing = '<!-- /conformance -->';
const line = /^\| ([a-z][a-z-]*) \| \d+ \| \d+ \| \d+ \|$/;

/** Writes the counts of backends that ran, and that the table has, into the text. Throws when the page lacks the table. */
export function withCounts(page: string, rows: readonly Row[]): string {
  const [from, to] = [page.indexOf(opening), page.indexOf(closing)];
  if (from < 0 || to < from) throw new Error(`docs/conformance.md has no table between ${opening} and ${closing}`);
  const ran = new Map(rows.filter(({ notRun }) => notRun === null).map((row) => [row.backend, row]));
  const reported = page
    .slice(from, to)
    .split('\n')
    .map((text) => {
      const row = ran.get(line.exec(text)?.[1] ?? '');
      return row === undefined ? text : lineOf(row);
    });
  return `${page.slice(0, from)}${reported.join('\n')}${page.slice(to)}`;
}

function lineOf({ backend, cases, absent, deviations }: Row): string {
  return `| ${backend} | ${cases} | ${absent.length} | ${deviations.length} |`;
}
