/** Lines for people about a configuration file that has changed since a service read it. */
import { toCaissonError } from '../errors.ts';
import type { Pending } from '../service/api.ts';
import type { Context } from './context.ts';

/** Empty where the file says what was read. */
export function pendingLines({ holds, loosens, reload, restart, problem }: Pending): readonly string[] {
  const keys = new Set([...holds, ...loosens].map((line) => keyOf(line)));
  const others = reload.filter((key) => ![...keys].some((each) => each === key || each.startsWith(`${key}.`)));
  return [
    ...(problem === null ? [] : [`the service takes nothing up from config.yaml: ${problem}`]),
    ...holds.map((line) => `the service holds it already: ${line}`),
    ...loosens.map((line) => `caisson config reload would loosen: ${line}`),
    ...(others.length === 0 ? [] : [`caisson config reload takes up: ${others.join(', ')}`]),
    ...(restart.length === 0 ? [] : [`needs a restart of the service: ${restart.join(', ')}`]),
  ];
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
