/**
 * Keys of what callers give. A key that is not known is an error before anything happens: `netwrok: 'none'` would otherwise
 * run with a network, and nothing would show it. The tables follow the types of `api.ts`; the compiler compares them.
 */
import type {
  CodeInput,
  CopyInput,
  ExecFilter,
  ExecInput,
  FilesApi,
  ImagesApi,
  LogInput,
  ProcessesApi,
  RunInput,
  SandboxChange,
  SandboxFilter,
  SandboxRequest,
  SessionInput,
  SessionsApi,
} from './api.ts';
import { CaissonError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';

/** `true`: a value, checked where it is used; or the keys of an object. */
type Known = true | Readonly<Record<string, true>>;
type Table = Readonly<Record<string, Known>>;
type KeysOf<T> = T extends unknown ? keyof T : never;
type Of<T> = Readonly<Record<KeysOf<T>, Known>>;
type InputOf<Api, Verb extends keyof Api> = Api[Verb] extends (input: infer Input, ...rest: never[]) => unknown
  ? Input
  : never;

const sandbox: Of<SandboxRequest> = {
  ...{
    taskId: true,
    backend: true,
    image: true,
    limits: true,
    network: true,
    persistent: true,
    cwd: true,
    project: true,
  },
  server: true,
  ...{ allowDegraded: true, recreate: true, existing: true, labels: true, idleTimeoutMs: true, lifetimeMs: true },
};

const exec: Of<ExecInput> = {
  ...{
    execId: true,
    command: true,
    cwd: true,
    env: true,
    skills: true,
    stdin: true,
    input: true,
    rawOutput: true,
    tty: { columns: true, rows: true },
  },
  ...{ timeoutMs: true, outputLimitBytes: true },
};

const code: Of<CodeInput> = {
  ...{
    execId: true,
    env: true,
    skills: true,
    rawOutput: true,
    timeoutMs: true,
    outputLimitBytes: true,
    code: { language: true, text: true },
  },
};

const session: Of<SessionInput> = { taskId: true, name: true, text: true, execId: true, env: true, timeoutMs: true };
const named: Of<Pick<SessionInput, 'taskId' | 'name'>> = { taskId: true, name: true };
const treeLimits = { bytes: true, entries: true } as const;
const copy: Of<CopyInput> = {
  ...{ task: true, source: true, target: true, confirmed: true, limits: treeLimits },
};
const at = { task: true, path: true } as const;
const changing = { ...at, confirmed: true } as const;

export const requestKeys = {
  create: sandbox,
  exec: { ...sandbox, ...exec },
  code: { ...sandbox, ...code },
  update: { labels: true, idleTimeoutMs: true, lifetimeMs: true } satisfies Of<SandboxChange>,
  run: { ...sandbox, ...exec } satisfies Of<RunInput & SandboxRequest>,
} as const;

const page = { limit: true, cursor: true } as const;

export const listKeys = {
  images: { backend: true } satisfies Of<NonNullable<Parameters<ImagesApi['list']>[0]>>,
  sandboxes: { ...page, backend: true, state: true, task: true, owner: true, labels: true } satisfies Of<SandboxFilter>,
  execs: { ...page, task: true, owner: true, sandboxes: true } satisfies Of<ExecFilter>,
  logs: { after: true, follow: true } satisfies Of<LogInput>,
  processes: { task: true, owner: true } satisfies Of<NonNullable<Parameters<ProcessesApi['list']>[0]>>,
} as const;

export const fileKeys: { readonly [Verb in keyof FilesApi]: Of<InputOf<FilesApi, Verb>> } = {
  copyIn: copy,
  copyOut: copy,
  archive: { ...at, limits: treeLimits },
  unpack: { ...changing, name: true, archive: true, limits: treeLimits },
  read: { ...at, offset: true, length: true },
  stream: at,
  write: { ...changing, bytes: true, expected: true },
  patch: { ...changing, edits: true, diff: true },
  list: at,
  stat: at,
  move: { ...changing, to: true, replace: true },
  remove: { ...changing, recursive: true },
  search: { ...at, pattern: true, regex: true, name: true, most: true },
  watch: { ...at, recursive: true, intervalMs: true },
  sync: { task: true, host: true, inside: true, direction: true, overwrite: true, confirmed: true },
};

export const sessionKeys: { readonly [Verb in Exclude<keyof SessionsApi, 'list'>]: Of<InputOf<SessionsApi, Verb>> } = {
  open: named,
  exec: session,
  run: session,
  close: named,
};

/** Throws `invalid_argument`, with the nearest key. Values are checked where they are used. */
export function checkKeys(input: unknown, known: Table): void {
  if (!isObject(input)) throw new CaissonError('invalid_argument', 'a request is an object');
  for (const [key, value] of Object.entries(input)) {
    if (!Object.hasOwn(known, key)) throw unknownKey(key, known, '');
    const inner = known[key];
    if (typeof inner !== 'object' || !isObject(value)) continue;
    const wrong = Object.keys(value).find((each) => !Object.hasOwn(inner, each));
    if (wrong !== undefined) throw unknownKey(wrong, inner, `${key}.`);
  }
}

/** A text would be taken apart into its characters. Throws `invalid_argument`. */
export function checkWords({ command }: { readonly command?: unknown }): void {
  if (Array.isArray(command) && command.every((word) => typeof word === 'string')) return;
  const what = typeof command === 'string' ? 'a text' : 'something else';
  throw new CaissonError('invalid_argument', `command is a list of a program and its arguments, not ${what}`, {
    remedy: "for a shell: command: ['sh', '-c', text]",
  });
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function unknownKey(key: string, known: Table, before: string): CaissonError {
  const near = nearest(key, Object.keys(known));
  const shown = JSON.stringify(before + key.slice(0, 64));
  return new CaissonError('invalid_argument', `a request has no key ${shown}`, {
    remedy: near === null ? `its keys are ${Object.keys(known).join(', ')}` : `did you mean ${before}${near}?`,
  });
}

/** Wraps the functions of an API so that each checks the keys of its first argument before anything else. */
export function withKeys<Api extends object>(api: Api, tables: Readonly<Partial<Record<keyof Api, Table>>>): Api {
  return new Proxy(api, {
    get(target, verb, receiver): unknown {
      const act: unknown = Reflect.get(target, verb, receiver);
      const known = Object.entries<Table | undefined>(tables).find(([name]) => name === verb)?.[1];
      if (known === undefined || typeof act !== 'function') return act;
      return async (input: unknown, ...rest: readonly unknown[]): Promise<unknown> => {
        checkKeys(input, known);
        return await Reflect.apply(act, target, [input, ...rest]);
      };
    },
  });
}
