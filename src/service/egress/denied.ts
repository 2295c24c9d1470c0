/** Notes of an exec about connections that were denied while it ran. Pure. The names come from the sandbox. */
import type { ConnectionRecord } from '../../network/egress/types.ts';

export type Denied = Pick<ConnectionRecord, 'name' | 'port' | 'rule'>;

/** Of an exec. */
const mostNotes = 5;
const mostCharacters = 300;
const usualPorts: readonly (number | null)[] = [80, 443];

/** One for each name, port and rule, in their order. */
export function deniedNotes(denied: readonly Denied[]): readonly string[] {
  const counted = new Map<string, { readonly record: Denied; readonly count: number }>();
  for (const record of denied) {
    const key = JSON.stringify([record.name, record.port, record.rule]);
    counted.set(key, { record, count: (counted.get(key)?.count ?? 0) + 1 });
  }
  const notes = [...counted.values()].map(({ record, count }) => noteOf(record, count));
  const more = notes.length - mostNotes;
  return more <= 0 ? notes : [...notes.slice(0, mostNotes), `connections to ${more} more places were denied`];
}

function noteOf(denied: Denied, count: number): string {
  const times = count === 1 ? '' : `, ${count} times`;
  const remedy = remedyFor(denied);
  const { name, port, rule } = denied;
  const what = name === null ? 'a request' : `the connection to ${printable(`${place(name)}:${port}`)}`;
  return `${what} was denied (${printable(rule)}${times})${remedy === null ? '' : `: ${remedy}`}`;
}

/** `null`: no list would allow it. Private addresses, broken requests and unknown names are no matter of a list. */
function remedyFor({ name, port, rule }: Denied): string | null {
  if (name === null) return null;
  const host = printable(rule === 'ports' || !usualPorts.includes(port) ? `${place(name)}:${port}` : name);
  if (rule === 'no rule' || rule === 'ports') return `add ${host} to network.allow to allow it`;
  if (rule.startsWith('deny ')) return `network.deny lists ${printable(rule.slice('deny '.length))}`;
  return null;
}

const place = (name: string): string => (name.includes(':') ? `[${name}]` : name);

const printable = (text: string): string => text.replaceAll(/[^\u0021-\u007e ]/g, '?').slice(0, mostCharacters);
