/** Records of the audit, filtered and in one sentence each. Pure. */
import type { CaissonClient } from 'caisson/client';
import { filled, momentOf, textsOf } from '../../text/filters.ts';

type Ask = Omit<Parameters<CaissonClient['audit']['tail']>[0], 'count' | 'follow' | 'only'>;

export interface Record {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly [detail: string]: unknown;
}

/** All but `type` and `text` are those of the service. */
const names = ['type', 'text', 'task', 'owner', 'verdict', 'rule', 'since', 'until'] as const;
export type Filters = Readonly<globalThis.Record<(typeof names)[number], string>>;

export const filtersOf = (given: Readonly<globalThis.Record<string, string>>): Filters => textsOf(given, names);

export const textOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

const verdicts = ['allow', 'ask', 'deny'] as const;
const isVerdict = (text: string): text is (typeof verdicts)[number] => verdicts.some((each) => each === text);

/** What the service filters by: what is empty, or not a time yet, is left out. */
export function askOf({ task, owner, verdict, rule, since, until }: Filters): Ask {
  return {
    ...filled({ task, owner, rule }),
    ...(isVerdict(verdict) ? { verdict } : {}),
    ...momentOf('since', since),
    ...momentOf('until', until),
  };
}

/** Newest first. */
export function filtered(
  records: readonly Record[],
  { type, text }: Pick<Filters, 'type' | 'text'>,
): readonly Record[] {
  const words = text.toLowerCase();
  return records
    .filter(
      (record) =>
        (type === '' || record.type === type) && (words === '' || JSON.stringify(record).toLowerCase().includes(words)),
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

/** What `caisson status` says of the last verification. */
export const lastVerifiedText = (verified: { readonly at: string; readonly through: number } | null): string =>
  verified === null ? 'It was never verified.' : `Verified last at ${verified.at}, up to ${verified.through}.`;

export const verifiedText = ({ intact, lastSeq, records }: Verified): string =>
  intact
    ? `Verified: ${records} records follow each other unchanged, up to ${lastSeq ?? 'none'}.`
    : `The chain is broken after ${records} records.`;
