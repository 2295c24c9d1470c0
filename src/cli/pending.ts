/** Lines for people about a configuration file that has changed since a service read it. */
import { toCaissonError } from '../errors.ts';
import type { Pending } from '../service/api.ts';
import type { Context } from './context.ts';

/** Empty where the file says what was read. */
export function pendingLines(pending: Pending): readonly string[] {
  const { holds, loosens, restart, problem } = pending;
  const others = othersOf(pending);
  return [
    ...(problem === null ? [] : [`the service takes nothing up from config.yaml: ${problem}`]),
    ...holds.map((line) => `the service holds it already: ${line}`),
    ...loosens.map((line) => `caisson config reload would loosen: ${line}`),
    ...(others.length === 0 ? [] : [`caisson config reload takes up: ${others.join(', ')}`]),
    ...(restart.length === 0 ? [] : [`needs a restart of the service: ${restart.join(', ')}`]),
  ];
}

/** How often the file says something else than what was read. */
export function differencesIn(pending: Pending): number {
  const { holds, loosens, restart } = pending;
  return holds.length + loosens.length + othersOf(pending).length + restart.length;
}

/** Keys that a reload takes up, without those that a rule or host of the other lists is of. */
function othersOf({ holds, loosens, reload }: Pending): readonly string[] {
  const keys = new Set([...holds, ...loosens].map((line) => keyOf(line)));
  return reload.filter((key) => ![...keys].some((each) => each === key || each.startsWith(`${key}.`)));
}

const keyOf = (line: string): string => line.slice(0, line.indexOf(': '));

/** Tells what the service that runs has not read. Without one, every command reads the file. Never throws: the file is changed already. */
export async function tellPending(context: Context): Promise<void> {
  try {
    const line = await context.line();
    if (line === null) return;
    for (const text of pendingLines(await line.client.config.pending())) context.notice(text);
  } catch (error) {
    context.notice(`the service was not asked what it holds: ${toCaissonError(error).message}`);
  }
}
