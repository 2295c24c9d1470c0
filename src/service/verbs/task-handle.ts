/** A task as a handle: the verbs whose rows take a task, without its name. The library and the client have the same. */
import { CaissonError } from '../../errors.ts';
import { approvals } from './approvals.ts';
import { execs } from './execs.ts';
import { files } from './files.ts';
import { network } from './network.ts';
import { processes } from './processes.ts';
import { type Act, type AnyRow, type AnyRows, membersOf, taskKeyOf } from './row.ts';
import { sandboxes } from './sandboxes.ts';
import { sessions } from './sessions.ts';

type WithoutTask<Input> = Input extends unknown ? Omit<Input, 'task' | 'taskId'> : never;

/** Arguments of a verb without its task. Where all keys of its input are optional, the input is too. */
type BoundArguments<First, Rest extends readonly unknown[]> = [First] extends [string]
  ? Rest
  : [object] extends [WithoutTask<NonNullable<First>>]
    ? [input?: WithoutTask<NonNullable<First>>, ...rest: Rest]
    : [input: WithoutTask<NonNullable<First>>, ...rest: Rest];

/** A method, as the verbs are, so that the handle of the library fits where one of the client is wanted. */
type Bound<Verb> = Verb extends (first: infer First, ...rest: infer Rest) => infer Result
  ? { verb(...args: BoundArguments<First, Rest>): Result }['verb']
  : never;

interface ByInput {
  /** Keys of an input that names a task. */
  readonly keys: { readonly task: unknown } | { readonly taskId: unknown };
}
interface ByArgument {
  /** Arguments of a verb whose first one names a task. */
  readonly takes: readonly ['task', ...(readonly unknown[])];
}
type OfTask<Noun, Table> = {
  readonly [Verb in keyof Noun & keyof Table as Table[Verb] extends ByInput | ByArgument ? Verb : never]: Bound<
    Noun[Verb]
  >;
};

/** Nouns of an API, of the library or of the client, with verbs that take a task. */
interface Nouns {
  /** Sandboxes: one for each task. */
  readonly sandboxes: object;
  /** Commands and programs in sandboxes. */
  readonly execs: { readonly run: Act; readonly start: Act };
  /** Commands that outlive their request. */
  readonly processes: object;
  /** Shells that keep their state. */
  readonly sessions: object;
  /** Files inside sandboxes. */
  readonly files: object;
  /** Destinations of filtered sandboxes. */
  readonly network: object;
  /** Commands that wait for a person. */
  readonly approvals: object;
}

/** The verbs of one task, under the nouns of the API. Nothing is asked before the first call. */
export interface TaskHandle<Api extends Nouns> {
  /** The task id. */
  readonly id: string;
  /** Runs a command and collects its output. */
  readonly run: Bound<Api['execs']['run']>;
  /** Starts a command, with streams. */
  readonly exec: Bound<Api['execs']['start']>;
  /** The sandbox of the task: made, shown, changed, removed. */
  readonly sandboxes: OfTask<Api['sandboxes'], typeof sandboxes>;
  /** Commands and programs. */
  readonly execs: OfTask<Api['execs'], typeof execs>;
  /** Commands that outlive their request. */
  readonly processes: OfTask<Api['processes'], typeof processes>;
  /** Shells that keep their state. */
  readonly sessions: OfTask<Api['sessions'], typeof sessions>;
  /** Files inside the sandbox. */
  readonly files: OfTask<Api['files'], typeof files>;
  /** Destinations that the sandbox reaches. */
  readonly network: OfTask<Api['network'], typeof network>;
  /** Commands of the task that wait for a person. */
  readonly approvals: OfTask<Api['approvals'], typeof approvals>;
}

export function taskHandle<Api extends Nouns>(api: Api, id: string): TaskHandle<Api>;
export function taskHandle(api: Nouns, id: string): object {
  const shown = ofTask(api.execs, execs, id);
  return {
    id,
    run: shown.run,
    exec: shown.start,
    execs: shown,
    sandboxes: ofTask(api.sandboxes, sandboxes, id),
    processes: ofTask(api.processes, processes, id),
    sessions: ofTask(api.sessions, sessions, id),
    files: ofTask(api.files, files, id),
    network: ofTask(api.network, network, id),
    approvals: ofTask(api.approvals, approvals, id),
  };
}

function ofTask<Noun extends object, Table extends AnyRows>(noun: Noun, rows: Table, id: string): OfTask<Noun, Table>;
function ofTask(noun: object, rows: AnyRows, id: string): object {
  return Object.fromEntries(
    Object.entries(rows).flatMap(([verb, row]) => {
      const act: unknown = Reflect.get(noun, verb);
      if (typeof act !== 'function') return [];
      const call: Call = (...args) => Reflect.apply(act, noun, args);
      if (row.takes[0] === 'task') return [[verb, (...rest: readonly unknown[]) => call(id, ...rest)]];
      return takesTask(row) ? [[verb, withTask(call, taskKeyOf(row), id)]] : [];
    }),
  );
}

const takesTask = ({ keys = {} }: AnyRow): boolean => 'task' in keys || 'taskId' in keys;

type Call = (...args: readonly unknown[]) => unknown;

/** A caller without types may name another task: this is said, since the handle would act on its own. */
function withTask(act: Call, key: 'task' | 'taskId', id: string): Call {
  return (input, ...rest) => {
    const { task = id, taskId = id, ...others } = membersOf(input);
    if (task === id && taskId === id) return act({ ...others, [key]: id }, ...rest);
    return Promise.reject(
      new CaissonError('invalid_argument', `the handle of task ${id} was given another task`, {
        remedy: 'leave the task out, or take the handle of the other one',
      }),
    );
  };
}
