/** Which entries of `tasks` are about a task. Pure. */
import { isPattern, matches } from '../values/pattern.ts';

/** Patterns in the order of the file, then the exact id: a later one wins. */
export function overridesOf<T>(taskId: string, tasks: Readonly<Record<string, T>>): readonly (readonly [string, T])[] {
  const patterns = Object.entries(tasks).filter(([name]) => isPattern(name) && matches(name, taskId));
  const exact = Object.hasOwn(tasks, taskId) ? tasks[taskId] : undefined;
  return [...patterns, ...(exact === undefined ? [] : [[taskId, exact] as const])];
}
