/**
 * Egress rules as the allow list of a place that filters by itself: see `Guarantees.filter`. The list is never wider than the
 * rules: what it cannot say is refused and not left out. Pure.
 */
import type { PlaceFilter } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import type { HostPattern } from '../../values/host-pattern.ts';
import { readIp } from '../../values/ip.ts';
import { reasonAgainstName } from '../../network/address/names.ts';
import type { Websites } from '../../network/websites.ts';
import { type Ruleset, defaultPorts } from './ruleset.ts';

export interface PlaceRules {
  readonly backend: string;
  readonly egress: Ruleset;
  readonly websites: Websites;
  readonly filter: PlaceFilter;
}

type Pattern = Pick<HostPattern, 'text' | 'host' | 'onlyBelow' | 'port'>;

/** All rules that allow the same names. */
interface Entry {
  readonly name: string;
  readonly rules: readonly Pattern[];
}

/** `example.com` is that name alone, `*.example.com` what is below it. Throws `not_supported`, naming every rule that cannot hold. */
export function placeHosts(rules: PlaceRules): readonly string[] {
  const denied = [...rules.egress.deny, ...rules.websites.rules.map((rule) => ({ ...rule, port: null }))];
  const entries = entriesOf(rules.egress.allow);
  const open = entries.filter(({ rules: [first] }) => first !== undefined && !isClosed(first, denied, rules.filter));
  const problems = [
    ...portProblems(open, rules),
    ...open.flatMap((entry) => entryProblems(entry, rules)),
    ...denied.flatMap((rule) => denialProblems(rule, open, rules.filter)),
  ];
  const { mostHosts } = rules.filter;
  if (open.length > mostHosts) problems.push(`${open.length} hosts (its list has ${mostHosts} at most)`);
  if (problems.length > 0) throw hostRulesError(rules.backend, [...new Set(problems)]);
  return open.map(({ name }) => name).toSorted();
}

function entriesOf(allow: readonly Pattern[]): readonly Entry[] {
  const nameOf = ({ host, onlyBelow }: Pattern): string => (onlyBelow ? `*.${host}` : host);
  return [...Map.groupBy(allow, nameOf)].map(([name, rules]) => ({ name, rules }));
}

/** Denied as a whole: it is left out of the list. */
function isClosed(allowed: Pattern, denied: readonly Pattern[], filter: PlaceFilter): boolean {
  const covering = denied.filter((rule) => reachOf(rule, allowed) === 'all');
  return filter.ports.every((port) => covering.some((rule) => rule.port === null || rule.port === port));
}

/** How much of what is allowed by a name another rule denies. A denied name is denied with all that is below it. */
function reachOf(denied: Pattern, allowed: Pattern): 'all' | 'some' | 'none' {
  const isBelow = allowed.host.endsWith(`.${denied.host}`);
  const isSame = allowed.host === denied.host && (allowed.onlyBelow || !denied.onlyBelow);
  if (denied.host === '*' || isBelow || isSame) return 'all';
  if (allowed.host === '*') return 'some';
  return allowed.onlyBelow && denied.host.endsWith(`.${allowed.host}`) ? 'some' : 'none';
}

/** Those of `network.ports` open that port of each host, but for hosts with a port of their own. */
function portProblems(open: readonly Entry[], { egress, filter }: PlaceRules): readonly string[] {
  if (open.every(({ rules }) => rules.every(({ port }) => port !== null))) return [];
  const others = [...egress.ports].filter((port) => !defaultPorts.includes(port) && !filter.ports.includes(port));
  return others.map((port) => `port ${port} (it opens ${portsText(filter)} alone)`);
}

function entryProblems({ name, rules }: Entry, { egress, filter }: PlaceRules): readonly string[] {
  const [{ host } = { host: '' }] = rules;
  const unlisted = nameProblem(host);
  if (unlisted !== null) return [`allow ${name} (${unlisted})`];
  const foreign = rules.filter(({ port }) => port !== null && !filter.ports.includes(port));
  if (foreign.length > 0) return foreign.map(({ text }) => `allow ${text} (it opens ${portsText(filter)} alone)`);
  const allows = (rule: Pattern, port: number): boolean =>
    rule.port === null ? egress.ports.has(port) : rule.port === port;
  const wider = filter.ports.filter((port) => !rules.some((rule) => allows(rule, port)));
  return wider.map((port) => `allow ${rules.map(({ text }) => text).join(', ')} (it would open port ${port} as well)`);
}

/** Letters, digits and hyphens, with a dot between: what a list of names of a service takes for a name. */
const listed = /^(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z\d](?:[a-z\d-]*[a-z\d])?$/;

function nameProblem(host: string): string | null {
  if (host === '*') return 'it lists names, and not all of them';
  if (readIp(host) !== null) return 'it opens every port and protocol of an address';
  return (
    reasonAgainstName(host) ?? (listed.test(host) ? null : 'it lists names with a dot, of letters, digits and hyphens')
  );
}

function denialProblems(rule: Pattern, open: readonly Entry[], { ports }: PlaceFilter): readonly string[] {
  if (open.length === 0 || (rule.port !== null && !ports.includes(rule.port))) return [];
  if (readIp(rule.host) !== null) return [`deny ${rule.text} (it does not look at the addresses of names)`];
  const cut = open.filter(({ rules: [first] }) => first !== undefined && reachOf(rule, first) !== 'none');
  return cut.map(({ name }) => `deny ${rule.text} (it cuts a part of ${name}, and the list has no denials)`);
}

const portsText = ({ ports }: PlaceFilter): string => `${ports.length === 1 ? 'port' : 'ports'} ${ports.join(' and ')}`;

const maxShown = 5;

function hostRulesError(backend: string, problems: readonly string[]): CaissonError {
  const more = problems.length > maxShown ? `, and ${problems.length - maxShown} more` : '';
  return new CaissonError(
    'not_supported',
    `the allow list of ${backend} cannot say what the rules of the network say: ${problems.slice(0, maxShown).join('; ')}${more}`,
    {
      details: { backend, rules: problems.slice(0, 50) },
      remedy: `change these rules for the task (tasks.NAME.network, \`caisson net\`), or take a backend with an egress proxy, such as docker`,
    },
  );
}
