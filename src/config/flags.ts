/** Keys as a command line gives them. */
import type { Flags } from './types.ts';

/** `terminal.container_cpu` -> `{ terminal: { container_cpu } }`. A key that is not known is refused by the schema, with the nearest one. */
export function sectionsOf(dotted: Readonly<Record<string, unknown>>): Flags {
  const sections: Record<string, Record<string, unknown>> = {};
  for (const [key, value] of Object.entries(dotted)) {
    const [section = '', ...rest] = key.split('.');
    (sections[section] ??= {})[rest.join('.')] = value;
  }
  return sections;
}
