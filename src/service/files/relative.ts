/** Relative paths inside a sandbox: relative to the directory in which its commands start. */
import type { Options } from '../api.ts';
import type { Plan } from '../../plan/types.ts';
import type { AnyRows } from '../verbs/row.ts';

export type PlanOf = (task: string, options: PathOptions) => Promise<Plan>;

type PathOptions = Pick<Options, 'signal' | 'said'>;

interface TaskInput {
  readonly task: string;
}

/** Directory in which commands of the plan start: on this host the caller's own, unless the configuration names one. */
export function workspaceOf({ guarantees, configuredCwd, spec }: Plan, cwd: string): string {
  return guarantees.isolation === 'none' ? (configuredCwd ?? cwd) : spec.cwd;
}

export function withRelativePaths<Api extends object>(
  noun: Api,
  rows: AnyRows,
  how: { readonly planOf: PlanOf; readonly cwd: string },
): Api {
  return new Proxy(noun, {
    get(target, verb): unknown {
      const act: unknown = Reflect.get(target, verb, target);
      const keys = Object.entries(rows[String(verb)]?.keys ?? {}).flatMap(([key, kind]) =>
        kind === 'inside' ? [key] : [],
      );
      if (typeof act !== 'function' || keys.length === 0) return act;
      return async (input: TaskInput, options: PathOptions = {}): Promise<unknown> => {
        const relative = keys.filter((key) => isRelative(Reflect.get(input, key)));
        if (relative.length === 0) return await Reflect.apply(act, target, [input, options]);
        const at = workspaceOf(await how.planOf(input.task, options), options.said?.directory ?? how.cwd);
        // Not joined: a slash or `/.` at the end has a meaning.
        const absolute = (key: string): string => `${at === '/' ? '' : at}/${String(Reflect.get(input, key))}`;
        const paths = Object.fromEntries(relative.map((key) => [key, absolute(key)]));
        return await Reflect.apply(act, target, [{ ...input, ...paths }, options]);
      };
    },
  });
}

/** An empty path is refused where it is used. */
function isRelative(path: unknown): boolean {
  return typeof path === 'string' && path !== '' && !path.startsWith('/');
}
