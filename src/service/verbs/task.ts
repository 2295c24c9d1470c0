/** Names of a task in inputs: `task`, and `taskId` beside it where a row has both. The library, the view of an owner and the client read them here. */
import { CaissonError } from '../../errors.ts';
import { type AnyRow, type AnyRows, membersOf, taskKeyOf } from './row.ts';

/** An input with its two names, of which one is enough. */
export type ByTask<Input extends { readonly taskId: string }> =
  | Input
  | (Omit<Input, 'taskId'> & {
      /** A task id or a sandbox id, as `taskId`. */
      readonly task: string;
    });

/** A noun whose verbs take `task` where their rows say `taskId`, and refuse an object where a row takes the name by itself. */
export function byTask<Noun extends object>(noun: Noun, rows: AnyRows): Noun {
  return new Proxy(noun, {
    get(target, verb): unknown {
      const act: unknown = Reflect.get(target, verb, target);
      if (typeof act !== 'function') return act;
      const row = rows[String(verb)] ?? { takes: [] };
      const isByName = row.takes[0] === 'task';
      if (taskKeyOf(row) === 'task' && !isByName) return act.bind(target);
      return (given: unknown, ...rest: readonly unknown[]): unknown => {
        let first: unknown;
        try {
          first = isByName ? checkedName(given, String(verb)) : byOneName(given);
        } catch (error) {
          return refused(error, row);
        }
        return Reflect.apply(act, target, [first, ...rest]);
      };
    },
  });
}

const byOneName = (input: unknown): unknown => ('task' in membersOf(input) ? named(input, 'taskId') : input);

function refused(error: unknown, { now }: AnyRow): Promise<never> {
  if (now === true) throw error;
  return Promise.reject(error);
}

/** Absent: where the verb does not need it. Callers may be untyped. */
function checkedName(given: unknown, verb: string): unknown {
  if (given === undefined || typeof given === 'string') return given;
  const { task, taskId } = membersOf(given);
  const [name] = [task, taskId].filter((each) => typeof each === 'string');
  throw new CaissonError('invalid_argument', `${verb} takes the name of a task by itself, and not an object`, {
    remedy: name === undefined ? 'give the task id as a text' : `write ${verb}(${JSON.stringify(name.slice(0, 63))})`,
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
