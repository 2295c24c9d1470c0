/** A noun as an owner sees it, made from its rows; verbs without a rule stand in `owned/` by hand. */
import type { SandboxChange } from '../api.ts';
import { type AnyRow, type AnyRows, type OwnerRule, type Rows, taskKeyOf } from '../verbs/row.ts';
import { byTask } from '../verbs/task.ts';
import type { Mine } from './place.ts';
import { refuse, refused } from './refused.ts';
import type { Scope } from './scope.ts';

/** The verbs of a noun whose rows have no rule. */
export type ByHand<Api, Table extends Rows<Api>> = {
  readonly [
    Verb in keyof Api as Verb extends keyof Table
      ? Table[Verb] extends { readonly owner: OwnerRule }
        ? never
        : Verb
      : Verb
  ]: Api[Verb];
};

type Verb = (...args: readonly unknown[]) => unknown;

export function made<Api extends object, Table extends Rows<Api> & AnyRows>(
  mine: Mine,
  noun: Api,
  { rows, byHand }: { readonly rows: Table; readonly byHand: ByHand<Api, Table> },
): Api {
  const ruled = Object.entries<AnyRow>(rows).flatMap(([verb, row]) => {
    const act: unknown = Reflect.get(noun, verb);
    return row.owner === undefined || typeof act !== 'function'
      ? []
      : [[verb, verbOf(mine, row, (...args) => Reflect.apply(act, noun, args) as unknown)] as const];
  });
  const all: object = { ...Object.fromEntries(ruled), ...byHand };
  if (isLike(all, noun, rows)) return byTask(all, rows);
  throw new TypeError('a verb has no rule for owners, and none by hand');
}

const isLike = <Api extends object>(all: object, _noun: Api, rows: AnyRows): all is Api =>
  Object.keys(rows).every((verb) => Object.hasOwn(all, verb));

function verbOf(mine: Mine, row: AnyRow, act: Verb): Verb {
  const { owner, takes, now } = row;
  if (owner === 'same' || (owner === 'operator' && mine.isOperator)) return act;
  if (owner !== 'place') return now === true ? refuse : refused;
  const { scope, bound, place, asked } = mine;
  return (...args) =>
    asked(async () => {
      for (const given of args.slice(0, takes.length)) if (setsLabels(given)) bound.checkLabels(given);
      const [named, ...rest] = args;
      const input = typeof named === 'string' ? await place(named) : await placed(named, taskKeyOf(row), place);
      return shown(scope, await act(input, ...rest));
    });
}

async function placed(input: unknown, key: string, place: Mine['place']): Promise<unknown> {
  return { ...Object(input), [key]: await place(String(Reflect.get(Object(input), key))) };
}

const setsLabels = (given: unknown): given is Pick<SandboxChange, 'labels'> =>
  typeof given === 'object' && given !== null && 'labels' in given;

/** An answer that names its task, or whose sandbox does. */
function shown(scope: Scope, answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  if (namesTask(answer)) return scope.ofTask(answer);
  const sandbox: unknown = Reflect.get(answer, 'sandbox');
  return namesTask(sandbox) ? { ...answer, sandbox: scope.ofTask(sandbox) } : answer;
}

const namesTask = (value: unknown): value is { readonly taskId: string } =>
  typeof value === 'object' && value !== null && 'taskId' in value && typeof value.taskId === 'string';
