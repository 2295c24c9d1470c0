/** Records of the audit, filtered and in one sentence each. Pure. */
export interface Record {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly [detail: string]: unknown;
}

export interface Filters {
  readonly type: string;
  readonly task: string;
  readonly verdict: string;
  readonly text: string;
  readonly since: string;
}

export const filtersOf = (given: Readonly<globalThis.Record<string, string>>): Filters => ({
  type: given['type'] ?? '',
  task: given['task'] ?? '',
  verdict: given['verdict'] ?? '',
  text: given['text'] ?? '',
  since: given['since'] ?? '',
});

export const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** Newest first. */
export function filtered(records: readonly Record[], { type, task, verdict, text, since }: Filters): readonly Record[] {
  const sinceMs = since === '' ? NaN : Date.parse(since);
  const words = text.toLowerCase();
  return records
    .filter(
      (record) =>
        (type === '' || record.type === type) &&
        (task === '' || textOf(record['taskId']).includes(task)) &&
        (verdict === '' || record['verdict'] === verdict) &&
        (Number.isNaN(sinceMs) || Date.parse(record.at) >= sinceMs) &&
        (words === '' || JSON.stringify(record).toLowerCase().includes(words)),
    )
    .toReversed();
}

const own: ReadonlySet<string> = new Set(['seq', 'at', 'type', 'taskId', 'execId', 'prev', 'hash', 'verdict']);

/** What a record has beside what the columns show. */
export const detailsOf = (record: Record): string =>
  Object.entries(record)
    .filter(([name, value]) => !own.has(name) && value !== null && textOf(value) !== '')
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .join(', ');

interface Verified {
  readonly intact: boolean;
  readonly lastSeq: number | null;
  readonly records: number;
}

export const verifiedText = ({ intact, lastSeq, records }: Verified): string =>
  intact
    ? `Verified: ${records} records follow each other unchanged, up to ${lastSeq ?? 'none'}.`
    : `The chain is broken after ${records} records.`;
