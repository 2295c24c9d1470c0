/** Notes of an exec about connections that were denied while it ran. Pure. The names come from the sandbox. */
import type { ConnectionRecord } from './door/types.ts';

export type Denied = Pick<ConnectionRecord, 'name' | 'port' | 'rule'>;

/** Most notes of one exec. */
const maxNotes = 5;
const maxCharacters = 300;
const defaultPorts: readonly (number | null)[] = [80, 443];

export interface Remedies {
  /** Task of a sandbox that the operator can allow hosts to; `null`: it has gone with its command, or is another owner's. */
  readonly task: string | null;
  /** Questions that are open, by host. */
  readonly asked: ReadonlyMap<string, string>;
}

/** One for each name, port and rule, in their order. */
export function deniedNotes(denied: readonly Denied[], remedies: Remedies): readonly string[] {
  const counted = new Map<string, { readonly record: Denied; readonly count: number }>();
  for (const record of denied) {
    const key = JSON.stringify([record.name, record.port, record.rule]);
    counted.set(key, { record, count: (counted.get(key)?.count ?? 0) + 1 });
  }
  const notes = [...counted.values()].map(({ record, count }) => noteOf(record, count, remedies));
  const more = notes.length - maxNotes;
  return more <= 0 ? notes : [...notes.slice(0, maxNotes), `connections to ${more} more places were denied`];
}

/** The host for `network.allow`. `null`: a list cannot allow private addresses, broken requests and unknown names. */
export function allowable({ name, port, rule }: Denied): string | null {
  if (name === null || !(rule === 'no rule' || rule === 'ports')) return null;
  return printable(rule === 'ports' || !defaultPorts.includes(port) ? `${place(name)}:${port}` : name);
}

/** Reasons that are not the name of a rule, in words for people. */
const reasons: ReadonlyMap<string, string> = new Map([
  ['address', 'it leads to a private or reserved address'],
  ['lookup', 'its name could not be looked up'],
  ['request', 'it could not be read'],
  ['rules', 'the rules could not be read'],
  ['server-name', 'its TLS names another host'],
]);

function noteOf(denied: Denied, count: number, remedies: Remedies): string {
  const times = count === 1 ? '' : `, ${count} times`;
  const remedy = remedyFor(denied, remedies);
  const { name, port, rule } = denied;
  const what = name === null ? 'a request' : `the connection to ${printable(`${place(name)}:${port}`)}`;
  return `${what} was denied (${reasons.get(rule) ?? printable(rule)}${times})${remedy === null ? '' : `: ${remedy}`}`;
}

function remedyFor(denied: Denied, { task, asked }: Remedies): string | null {
  const { name, rule } = denied;
  const host = allowable(denied);
  if (host !== null) {
    const id = asked.get(host);
    if (id !== undefined) return `\`caisson approvals approve ${id}\` allows it to the next command`;
    return task === null
      ? `add ${host} to network.allow to allow it`
      : `\`caisson net allow ${task} ${host}\` allows it`;
  }
  if (name !== null && rule.startsWith('deny ')) return `a rule denies ${printable(rule.slice('deny '.length))}`;
  return null;
}

const place = (name: string): string => (name.includes(':') ? `[${name}]` : name);

const printable = (text: string): string => text.replaceAll(/[^\u0021-\u007e ]/g, '?').slice(0, maxCharacters);
