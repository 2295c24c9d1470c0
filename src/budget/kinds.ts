/** The budgets that there are: their names are the keys below `server.limits`, and each has its usual limits and its words. Data only. */

export interface Kind {
  /** What is counted, in the plural: `alice holds 64 open questions`. */
  readonly counts: string;
  readonly total: number;
  readonly perOwner: number;
  /** What the caller can do, beside waiting. */
  readonly remedy: string;
}

const mebibyte = 1024 ** 2;
const gibibyte = 1024 ** 3;

const kindsOf = <Name extends string>(table: Readonly<Record<Name, Kind>>): Readonly<Record<Name, Kind>> => table;

export const kinds = kindsOf({
  questions: {
    counts: 'open questions',
    total: 256,
    perOwner: 64,
    remedy: 'wait until some of them have been answered',
  },
  staged_bytes: {
    counts: 'bytes of uploads and archives that are on their way',
    total: 64 * gibibyte,
    perOwner: 16 * gibibyte,
    remedy: 'wait until other transfers have ended',
  },
  file_bytes: {
    counts: 'bytes that file tools hold in memory',
    total: 256 * mebibyte,
    perOwner: 128 * mebibyte,
    remedy: 'send fewer file requests at once, or read in smaller parts',
  },
  connections: {
    counts: 'open connections',
    total: 4096,
    perOwner: 512,
    remedy: 'use fewer connections, or close those that wait for nothing',
  },
  strangers: {
    counts: 'open connections that have shown no token',
    total: 512,
    perOwner: 64,
    remedy: 'show a token with each connection',
  },
  creations: {
    counts: 'sandboxes that are being made',
    total: 4096,
    perOwner: 256,
    remedy: 'wait until some of them are ready',
  },
  watches: {
    counts: 'watches of directories',
    total: 256,
    perOwner: 32,
    remedy: 'end some of them, or watch a directory above several',
  },
  checks: {
    counts: 'commands that are checked',
    total: 4,
    perOwner: 1,
    remedy: 'send fewer requests at once, each with more commands',
  },
});

export type BudgetName = keyof typeof kinds;

/** Default limits in the form of the configuration file. */
export const defaultLimits = Object.fromEntries(
  Object.entries(kinds).map(([name, { total, perOwner }]) => [name, { total, per_owner: perOwner }] as const),
);

const isName = (name: string): name is BudgetName => Object.hasOwn(kinds, name);

export const budgetNames: readonly BudgetName[] = Object.keys(kinds).filter(isName);
