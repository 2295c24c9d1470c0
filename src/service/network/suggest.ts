/** Rules that would allow what a sandbox has asked for. Pure. */
import { presets as builtin, type Presets } from '../../values/egress-presets.ts';
import { allowProblem, hostPattern, isWithin } from '../../values/host-pattern.ts';
import { readIp } from '../../values/ip.ts';
import type { Connection } from '../network-api.ts';

type ConnectionTarget = Pick<Connection, 'name' | 'port' | 'rule' | 'verdict'>;

interface NetworkTarget {
  readonly name: string;
  readonly port: number;
}

export interface Suggested {
  readonly seen: number;
  readonly presets: readonly string[];
  readonly allow: readonly string[];
}

/** So many names below one domain are one pattern. */
const leastBelow = 3;
const defaultPorts: readonly number[] = [80, 443];
/** What no rule spoke of, and what passes only because all is observed. */
const open: readonly string[] = ['no rule', 'ports', 'allow *'];

export function suggestedRules(connections: readonly ConnectionTarget[], known: Presets = builtin): Suggested {
  const places = placesIn(connections);
  const presets = Object.keys(known).filter((preset) => places.some((place) => isInPreset(place, preset, known)));
  const left = places.filter((place) => !presets.some((preset) => isInPreset(place, preset, known)));
  const [usual, other] = [left.filter(isUsual), left.filter((place) => !isUsual(place))];
  const single = other.map(({ name, port }) => `${bracketed(name)}:${port}`);
  const allow = [...hostsFor([...new Set(usual.map(({ name }) => name))]), ...single];
  return { seen: places.length, presets, allow: allow.toSorted() };
}

const isUsual = ({ port }: NetworkTarget): boolean => defaultPorts.includes(port);

function placesIn(connections: readonly ConnectionTarget[]): readonly NetworkTarget[] {
  const found = new Map<string, NetworkTarget>();
  for (const { name, port, rule } of connections)
    if (name !== null && port !== null && open.includes(rule) && isAllowable(name, port))
      found.set(`${name}:${port}`, { name, port });
  return [...found.values()];
}

/** The names come from the sandbox. */
function isAllowable(name: string, port: number): boolean {
  return port !== 25 && allowProblem(`${bracketed(name)}:${port}`) === null;
}

function isInPreset({ name, port }: NetworkTarget, preset: string, known: Presets): boolean {
  return (
    defaultPorts.includes(port) &&
    (known[preset] ?? []).some((text) => {
      const pattern = hostPattern(text);
      return typeof pattern !== 'string' && isWithin(pattern, name);
    })
  );
}

function hostsFor(names: readonly string[]): readonly string[] {
  const below = Map.groupBy(names, (name) => parentOf(name));
  return [...below].flatMap(([parent, all]) =>
    parent !== null && all.length >= leastBelow && allowProblem(`*.${parent}`) === null
      ? [`*.${parent}`]
      : all.map(bracketed),
  );
}

/** `null`: an address, or a name of one or two labels, above which strangers register names. */
function parentOf(name: string): string | null {
  const labels = name.split('.');
  return readIp(name) !== null || labels.length < 3 ? null : labels.slice(1).join('.');
}

const bracketed = (name: string): string => (name.includes(':') ? `[${name}]` : name);
