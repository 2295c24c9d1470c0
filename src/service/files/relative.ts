/** Relative paths inside a sandbox: relative to the directory in which its commands start. */
import type { FilesApi, Options } from '../api.ts';
import type { Plan } from '../../plan/types.ts';

export type PlanOf = (task: string, options: Asked) => Promise<Plan>;

type Asked = Pick<Options, 'signal' | 'said'>;

/** Keys of each input that hold a path inside. */
const inside = {
  archive: ['path'],
  copyIn: ['target'],
  copyOut: ['source'],
  list: ['path'],
  move: ['path', 'to'],
  patch: ['path'],
  read: ['path'],
  remove: ['path'],
  search: ['path'],
  stat: ['path'],
  stream: ['path'],
  sync: ['inside'],
  unpack: ['path'],
  watch: ['path'],
  write: ['path'],
} as const satisfies Readonly<Record<keyof FilesApi, readonly string[]>>;

interface Named {
  readonly task: string;
}

type Verb<Input extends Named, Result> = (input: Input, options?: Asked) => Promise<Result>;

/** Directory in which commands of the plan start: on this host the caller's own, unless the configuration names one. */
export function workspaceOf({ guarantees, configuredCwd, spec }: Plan, cwd: string): string {
  return guarantees.isolation === 'none' ? (configuredCwd ?? cwd) : spec.cwd;
}

export function withRelativePaths(files: FilesApi, how: { readonly planOf: PlanOf; readonly cwd: string }): FilesApi {
  const on =
    <Input extends Named, Result>(keys: readonly string[], verb: Verb<Input, Result>): Verb<Input, Result> =>
    async (input, options = {}) => {
      const relative = keys.filter((key) => isRelative(Reflect.get(input, key)));
      if (relative.length === 0) return await verb(input, options);
      const at = workspaceOf(await how.planOf(input.task, options), options.said?.directory ?? how.cwd);
      // Not joined: a slash or `/.` at the end has a meaning.
      const absolute = (key: string): string => `${at === '/' ? '' : at}/${String(Reflect.get(input, key))}`;
      const paths: Readonly<Record<string, string>> = Object.fromEntries(relative.map((key) => [key, absolute(key)]));
      return await verb({ ...input, ...paths }, options);
    };
  return {
    archive: on(inside.archive, (input, options) => files.archive(input, options)),
    copyIn: on(inside.copyIn, (input, options) => files.copyIn(input, options)),
    copyOut: on(inside.copyOut, (input, options) => files.copyOut(input, options)),
    list: on(inside.list, (input, options) => files.list(input, options)),
    move: on(inside.move, (input, options) => files.move(input, options)),
    patch: on(inside.patch, (input, options) => files.patch(input, options)),
    read: on(inside.read, (input, options) => files.read(input, options)),
    remove: on(inside.remove, (input, options) => files.remove(input, options)),
    search: on(inside.search, (input, options) => files.search(input, options)),
    stat: on(inside.stat, (input, options) => files.stat(input, options)),
    stream: on(inside.stream, (input, options) => files.stream(input, options)),
    sync: on(inside.sync, (input, options) => files.sync(input, options)),
    unpack: on(inside.unpack, (input, options) => files.unpack(input, options)),
    watch: on(inside.watch, (input, options) => files.watch(input, options)),
    write: on(inside.write, (input, options) => files.write(input, options)),
  };
}

/** An empty path is refused where it is used. */
function isRelative(path: unknown): boolean {
  return typeof path === 'string' && path !== '' && !path.startsWith('/');
}
