/** Names of a task in inputs: `task`, and `taskId` beside it where a row has both. The library, the view of an owner and the client read them here. */
import { CaissonError } from '../../errors.ts';
import { type AnyRows, membersOf, taskKeyOf } from './row.ts';

/** An input with its two names, of which one is enough. */
export type ByTask<Input extends { readonly taskId: string }> =
  | Input
  | (Omit<Input, 'taskId'> & {
      /** A task id or a sandbox id, as `taskId`. */
      readonly task: string;
    });

/** A noun whose verbs take `task` where their rows say `taskId`. */
export function byTask<Noun extends object>(noun: Noun, rows: AnyRows): Noun {
  return new Proxy(noun, {
    get(target, verb): unknown {
      const act: unknown = Reflect.get(target, verb, target);
      if (typeof act !== 'function') return act;
      const row = rows[String(verb)] ?? { takes: [] };
      if (taskKeyOf(row) === 'task') return act.bind(target);
      return (input: unknown, ...rest: readonly unknown[]): unknown => {
        if (!('task' in membersOf(input))) return Reflect.apply(act, target, [input, ...rest]);
        try {
          return Reflect.apply(act, target, [named(input, 'taskId'), ...rest]);
        } catch (error) {
          return Promise.reject(error);
        }
      };
    },
  });
}

/** The input with one name of its task. Throws `invalid_argument` for names that differ. */
function named(input: unknown, key: 'task' | 'taskId'): object {
  const { task, taskId, ...rest } = membersOf(input);
  const [name, other] = new Set([task, taskId].filter((each) => each !== undefined));
  if (other !== undefined)
    throw new CaissonError('invalid_argument', 'task and taskId are both given, and differ', {
      remedy: 'give one of them: taskId is another name of task',
    });
  return name === undefined ? rest : { ...rest, [key]: name };
}
