/** Routes from the rows of a noun: plain ones, which are one call of their verb, and what those by hand say of themselves. */
import type { z } from 'zod';
import type { CaissonApi } from '../service/api.ts';
import {
  type Act,
  type AnyRow,
  type AnyRows,
  type At,
  type Inputs,
  membersOf,
  type NounIn,
  type ObjectsIn,
  type Result,
  taskKeyOf,
} from '../service/verbs/row.ts';
import type { Call } from './types.ts';
import { type Route, route } from './route.ts';
import { type Twin, twins } from './twin.ts';
import { bodiless, inSandbox, noAnswer, nothing } from './schemas/common.ts';

export interface None {
  /** Why no client reaches it. */
  readonly none: string;
}

/** What a plain route takes and gives; what is absent is nothing. */
export interface Plain {
  /** Absent: the sandbox, where its path names one. */
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  readonly answer?: z.ZodType;
  readonly status?: 201;
  readonly twin?: Twin;
}

type Remote<Table> = {
  [Verb in keyof Table]: Table[Verb] extends { readonly none: string } ? never : Verb;
}[keyof Table];

type Entries<Table> = { readonly [Verb in Remote<Table>]: Plain | readonly Route[] };

/** A list is answered as its items. */
type Answer<F> = Result<F> extends infer Each ? (Each extends readonly unknown[] ? { items: Each } : Each) : never;
type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : unknown;
/** The input of a verb without its task; of one that takes names and lists alone, anything. */
type Rest<F> = [InputOf<F>] extends [never] ? unknown : Omit<InputOf<F>, 'task' | 'taskId'>;
type InputOf<F> = Exclude<ObjectsIn<Inputs<F>>, readonly unknown[]>;

/** What a verb answers is what its schema takes, and what the schemas give is what the verb takes. */
type Fitting<Api, Given> = {
  [Verb in keyof Given]: Verb extends keyof Api
    ? Given[Verb] extends { readonly answer: infer Schema extends z.ZodType }
      ? Answer<Api[Verb]> extends z.input<Schema>
        ? unknown
        : { readonly answer: Answer<Api[Verb]> }
      : unknown
    : never;
} & {
  [Verb in keyof Given]: Verb extends keyof Api
    ? Given[Verb] extends { readonly body: infer Schema }
      ? Output<Schema> extends Rest<Api[Verb]>
        ? unknown
        : { readonly body: Rest<Api[Verb]> }
      : unknown
    : never;
};

type Served<Noun extends string, Table> = {
  readonly [Verb in keyof Table & string as `${Noun}.${Verb}`]: readonly Route[] | None;
};

/** Every verb of a noun with its routes, or the reason why it has none. */
export function served<const Noun extends string, Table extends AnyRows, Given extends Entries<Table>>(
  noun: Noun,
  rows: Table,
  entries: Given & Fitting<NounIn<CaissonApi, Noun>, Given>,
): Served<Noun, Table> {
  const all = Object.entries<AnyRow>(rows).map(([verb, row]) => {
    const entry: unknown = Reflect.get(entries, verb);
    const made = isRow(row)
      ? isRoutes(entry)
        ? entry
        : twinned(plainRoute(`${noun}.${verb}`, row, Object.assign({}, entry)), Object.assign({}, entry))
      : none(row);
    return [`${noun}.${verb}`, made] as const;
  });
  const table: object = Object.fromEntries(all);
  if (isServed<Noun, Table>(table)) return table;
  throw new TypeError(`${noun} is not whole`);
}

const isServed = <Noun extends string, Table>(table: object): table is Served<Noun, Table> =>
  Object.values(table).every((each) => each !== undefined);
const none = ({ none: why = '' }: AnyRow): None => ({ none: why });
const isRow = (row: AnyRow): row is AnyRow & At => row.none === undefined;
const twinned = (byId: Route, { twin }: Plain): readonly Route[] => (twin === undefined ? [byId] : twins(byId, twin));
const isRoutes = (entry: unknown): entry is readonly Route[] => Array.isArray(entry);

/** What the row says of its route. */
export function outline({ method, path, scope, about, orScope, brief }: Omit<AnyRow, keyof At> & At) {
  return {
    method,
    path,
    scope,
    about,
    ...(orScope === undefined ? {} : { orScope }),
    ...(brief === undefined ? {} : { brief }),
  };
}

export function plainRoute(name: string, row: AnyRow & At, schemas: Plain): Route {
  const { params = row.path.includes('{id}') ? inSandbox : nothing } = schemas;
  const { query = nothing, body = bodiless, answer = noAnswer, status } = schemas;
  return route({
    ...outline(row),
    params,
    query,
    body,
    answer,
    ...(status === undefined ? {} : { status }),
    run: async (call) => {
      const answered = await actIn(call.api, name)(...argumentsOf(row, call), call.options);
      return Array.isArray(answered) ? { items: answered } : answered;
    },
  });
}

type Verb = (...args: readonly unknown[]) => unknown;

function actIn(api: Call['api'], name: string): Verb {
  const path = name.split('.');
  const noun = path.slice(0, -1).reduce<unknown>((at, word) => Reflect.get(Object(at), word), api);
  const act: unknown = Reflect.get(Object(noun), path.at(-1) ?? '');
  if (isAct(act)) return (...args) => Reflect.apply(act, noun, args) as unknown;
  throw new TypeError(`there is no verb ${name}`);
}

const isAct = (value: unknown): value is Act => typeof value === 'function';

/** Arguments by the names of the row; an object of a request has what no other argument is. */
function argumentsOf(row: AnyRow, { params, query, body, by }: Call): readonly unknown[] {
  const { takes } = row;
  const { id, ...named } = membersOf(params);
  const given: Readonly<Record<string, unknown>> = {
    ...(id === undefined ? {} : { [taskKeyOf(row)]: id }),
    ...named,
    ...membersOf(query),
    ...membersOf(body),
  };
  const rest = Object.entries(given).filter(([name]) => !takes.includes(name));
  return takes.map((name) => (name === 'by' ? by : name.startsWith('...') ? Object.fromEntries(rest) : given[name]));
}
