/**
 * A verb as a row: what stands in it once is read by the key check, the owner's view, the HTTP routes, the client, the OpenAPI
 * document and the reference. Rows are plain data without imports, so that the client stays small and free of Node.
 */
import type { Scope } from '../../access/tokens/types.ts';
import type { Options } from '../types.ts';

export type Act = (...args: never[]) => unknown;

type Kind = 'text' | 'number' | 'flag' | 'object' | 'list';
/** `text?`: or null. `host`: a client gets null, since it is of the host of the service. Or the fields of an object. */
export type Field = Kind | `${Kind}?` | 'host' | Fields;
export interface Fields {
  readonly [name: string]: Field;
}
/** Fields of an answer that the client reads itself, or that a caller surely reads. */
export type Shape<T> = { readonly [Name in keyof T]?: Field };

/** `true`: a value, checked where it is used. `inside`: a path in the sandbox, which may be relative. Or the keys of an object. */
export type InputShape = true | 'inside' | Readonly<Record<string, true>>;
type KeysOf<T> = T extends unknown ? keyof T : never;
export type Keys<T> = Readonly<Record<KeysOf<T>, InputShape>>;

/** Types of the arguments before the options. */
export type Inputs<F> = F extends (...args: infer Args) => unknown ? BeforeOptions<Required<Args>> : never;
type BeforeOptions<Args extends readonly unknown[]> = Args extends readonly [...infer Before, infer Last]
  ? [Last, Options] extends [Options, Last]
    ? Before
    : Args
  : Args;
type ArgumentNames<Args extends readonly unknown[]> = { readonly [Index in keyof Args]: string };
export type ObjectsIn<Args> = Args extends readonly (infer Each)[] ? Extract<Each, object> : never;

/** The noun of an API at its path: `sandboxes`, `policy.hooks`. */
export type NounIn<Api, Path> = Path extends `${infer Head}.${infer Rest}`
  ? Head extends keyof Api
    ? NounIn<Api[Head], Rest>
    : never
  : Path extends keyof Api
    ? Api[Path]
    : never;

export type Result<F> = F extends (...args: never[]) => infer Answer ? Awaited<Answer> : never;

/** What the client makes of the answer: nothing, a list of items, or an object. */
type Gives<T> = [T] extends [void] ? null : T extends readonly (infer Item)[] ? readonly [Shape<Item>] : Shape<T>;

/**
 * What the view of an owner does. `place`: the task that it names is one of the owner's. `same`: it answers the same to all.
 * `operator`: for the operator's tokens without bounds. `refused`: for those with the scope admin alone.
 */
export type OwnerRule = 'place' | 'same' | 'operator' | 'refused';

export interface At {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path in the form of OpenAPI. `{id}` is the argument `task`, or what the input names its task by. */
  readonly path: `/v1/${string}`;
  readonly scope: Scope;
  /** What it does, in one sentence. */
  readonly about: string;
}

interface Common<F> {
  /** Names of the arguments before the options. `...` is an object, whose members are named by themselves; `...?` may be absent. */
  readonly takes: ArgumentNames<Inputs<F>>;
  /** Keys of that object; one that is not known is refused. Absent: they are checked where they are used. */
  readonly keys?: Keys<ObjectsIn<Inputs<F>>>;
  /** Absent: `owned/` has the verb by hand. */
  readonly owner?: OwnerRule;
  /** It answers at once, without a promise. */
  readonly now?: true;
}

interface Served<F> extends At, Common<F> {
  /** A token with this scope instead is admitted too. */
  readonly orScope?: Scope;
  /** It has no body and ends by itself: answered also where its owner has all connections that it may. */
  readonly brief?: true;
  /** A client may send it twice. */
  readonly repeatable?: true;
  /** Absent: the client has the verb by hand. */
  readonly gives?: Gives<Result<F>>;
}

interface Unserved<F> extends Common<F> {
  /** Why no route reaches it. */
  readonly none: string;
}

export type Row<F = never> = Served<F> | Unserved<F>;
/** The functions of a noun, each with its row: one that is missing does not build. */
export type Rows<Api> = { readonly [Verb in keyof Api as Api[Verb] extends Act ? Verb : never]: Row<Api[Verb]> };

/** A row as those see it who read all of them. */
export interface AnyRow extends Partial<Omit<At, 'path'>> {
  readonly path?: string;
  readonly none?: string;
  readonly takes: readonly string[];
  readonly keys?: Readonly<Record<string, InputShape>>;
  readonly owner?: OwnerRule;
  readonly now?: true;
  readonly orScope?: Scope;
  readonly brief?: true;
  readonly repeatable?: true;
  readonly gives?: Fields | readonly [Fields] | null;
}
export type AnyRows = Readonly<Record<string, AnyRow>>;

const at =
  (scope: Scope) =>
  (method: At['method'], path: At['path'], about: string): At & { readonly takes: readonly [] } => ({
    method,
    path,
    scope,
    about,
    takes: [],
  });

export const run = at('run');
export const read = at('read');
export const approve = at('approve');
/** What only the scope admin reaches concerns all owners. */
export const admin = (...given: Parameters<typeof run>) => ({ ...at('admin')(...given), owner: 'refused' as const });

/** The key under which an input names its task; an argument that does is called `task`. */
export const taskKeyOf = ({ keys = {} }: Pick<AnyRow, 'keys'>): 'task' | 'taskId' =>
  'taskId' in keys ? 'taskId' : 'task';

/** Members of an object; of anything else, none. */
export const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? { ...value } : {};
