/** A noun of the client, made from its rows; verbs whose rows do not say what the answer has are by hand. */
import { CaissonError } from '../../errors.ts';
import type { Options } from '../../service/types.ts';
import { type AnyRow, type AnyRows, type Fields, membersOf, type NounIn, taskKeyOf } from '../../service/verbs/row.ts';
import { byTask } from '../../service/verbs/task.ts';
import { checkedExecId } from '../exec/ids.ts';
import type { CaissonClient } from '../types.ts';
import { notServedError } from '../wire/none.ts';
import { segment } from '../wire/path.ts';
import { listed, shaped } from '../wire/shape.ts';
import type { Query, Wire } from '../wire/wire.ts';

/** The verbs of a noun that no row makes. */
export type ByHand<Api, Table> = {
  readonly [
    Verb in keyof Api as Verb extends keyof Table
      ? Table[Verb] extends { readonly gives: unknown } | { readonly none: string }
        ? never
        : Verb
      : Verb
  ]: Api[Verb];
};

interface NounInput<Noun extends string, Table extends AnyRows> {
  readonly rows: Table;
  readonly byHand: ByHand<NounIn<CaissonClient, Noun>, Table>;
}

type Verb = (...args: readonly unknown[]) => Promise<unknown>;

export function made<const Noun extends string, Table extends AnyRows>(
  wire: Wire,
  noun: Noun,
  { rows, byHand }: NounInput<Noun, Table>,
): NounIn<CaissonClient, Noun> {
  const plain = Object.entries<AnyRow>(rows).flatMap(([verb, row]) => {
    const act = row.none === undefined ? verbOf(wire, row) : unserved(`${noun}.${verb}`, row.none, row.now);
    return act === null ? [] : [[verb, act] as const];
  });
  const all: object = { ...Object.fromEntries(plain), ...byHand };
  if (isNoun<Noun>(all, noun, rows)) return byTask(all, rows);
  throw new TypeError(`a verb of ${noun} has neither a row nor a hand`);
}

const isNoun = <Noun extends string>(
  all: object,
  _noun: Noun,
  rows: AnyRows,
): all is NounIn<CaissonClient, Noun> & object => Object.keys(rows).every((verb) => Object.hasOwn(all, verb));

function unserved(verb: string, why: string, now: AnyRow['now']): () => Promise<never> {
  if (now !== true) return () => Promise.reject(notServedError(verb, why));
  return () => {
    throw notServedError(verb, why);
  };
}

function verbOf(wire: Wire, row: AnyRow): Verb | null {
  const { method = 'GET', takes, repeatable, gives } = row;
  if (gives === undefined) return null;
  const how = repeatable === undefined ? { method } : { method, repeatable };
  const takesObject = takes.some((name) => name.startsWith('...'));
  return async (...args) => {
    const { at, rest } = addressed(row, namedIn(takes, args));
    const inBody = method !== 'GET' && method !== 'DELETE';
    const isEmpty = !takesObject && Object.keys(rest).length === 0;
    const given = isEmpty ? {} : inBody ? { body: rest } : { query: queryOf(rest) };
    const { signal } = optionsIn(args[takes.length]);
    return answered(await wire.json({ ...how, path: at, ...given, signal }), gives);
  };
}

const optionsIn = (given: unknown): Pick<Options, 'signal'> => (isOptions(given) ? given : {});
const isOptions = (given: unknown): given is Options => typeof given === 'object' && given !== null;

type Members = Readonly<Record<string, unknown>>;

/** Who acts is known by the token, and a path is confirmed on the host of the service. */
function namedIn(takes: readonly string[], args: readonly unknown[]): Members {
  const entries = takes.flatMap((name, index): readonly (readonly [string, unknown])[] => {
    const given: unknown = args[index];
    if (name === 'by') return [];
    return name.startsWith('...') ? Object.entries(membersOf(given)) : [[name, given]];
  });
  return withoutConfirmed(Object.fromEntries(entries));
}

/** What is left is sent as it is, so that the service refuses a key that is not known. */
export function withoutConfirmed<Input extends { readonly confirmed?: unknown }>({
  confirmed,
  ...rest
}: Input): Omit<Input, 'confirmed'> {
  if (confirmed === true)
    throw new CaissonError('not_supported', 'a path is confirmed on the host of the service, not through it');
  return rest;
}

const ofExecs: ReadonlySet<string> = new Set(['execId', 'processId']);

function addressed(row: AnyRow, members: Members): { readonly at: string; readonly rest: Members } {
  const { path = '' } = row;
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const keyOf = (name: string): string => (name === 'id' ? taskKeyOf(row) : name);
  const at = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    (ofExecs.has(name) ? checkedExecId : segment)(members[keyOf(name)]),
  );
  const taken = new Set(names.map(keyOf));
  return { at, rest: Object.fromEntries(Object.entries(members).filter(([name]) => !taken.has(name))) };
}

function queryOf(members: Members): Query {
  const given = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

function answered(answer: unknown, gives: NonNullable<AnyRow['gives']> | null): unknown {
  if (gives === null) return undefined;
  return isList(gives) ? listed(answer, gives[0]) : shaped(answer, gives);
}

const isList = (gives: NonNullable<AnyRow['gives']>): gives is readonly [Fields] => Array.isArray(gives);
