/** Egress rules, checked and ready to decide by. Pure. */
import { CaissonError } from '../../errors.ts';
import { allowProblem, type HostPattern, hostPattern, portProblem } from '../../values/host-pattern.ts';
import { type Presets, presets as builtin } from '../../values/egress-presets.ts';
import type { EgressRules } from './types.ts';

export interface EgressRule extends HostPattern {
  /** For people and records: `allow example.com`, `preset github`. */
  readonly name: string;
}

export interface Ruleset {
  readonly allow: readonly EgressRule[];
  readonly deny: readonly EgressRule[];
  readonly ports: ReadonlySet<number>;
}

export const defaultPorts: readonly number[] = [80, 443];

/** Throws `invalid_argument` for what cannot hold. */
export function rulesetOf(rules: EgressRules, presets: Presets = builtin): Ruleset {
  return {
    allow: [
      ...rules.allow.map((text) => ruleFrom('allow', text)),
      ...rules.presets.flatMap((name) => hostsOf(name, presets)),
    ],
    deny: rules.deny.map((text) => ruleFrom('deny', text)),
    ports: new Set([...defaultPorts, ...rules.ports.map(checkedPort)]),
  };
}

function ruleFrom(list: 'allow' | 'deny', text: string): EgressRule {
  const read = hostPattern(text);
  const problem = typeof read === 'string' ? read : list === 'allow' ? allowProblem(text) : null;
  if (problem === null && typeof read !== 'string') return { ...read, name: `${list} ${text}` };
  throw new CaissonError(
    'invalid_argument',
    `network.${list}: ${JSON.stringify(text.slice(0, 100))}: ${problem ?? ''}`,
  );
}

function hostsOf(name: string, presets: Presets): readonly EgressRule[] {
  const hosts = Object.hasOwn(presets, name) ? presets[name] : undefined;
  if (hosts !== undefined) return hosts.map((host) => ({ ...ruleFrom('allow', host), name: `preset ${name}` }));
  throw new CaissonError(
    'invalid_argument',
    `network.presets: there is no preset ${JSON.stringify(name.slice(0, 100))}`,
    {
      remedy: `there are: ${Object.keys(presets).join(', ')}`,
    },
  );
}

function checkedPort(port: number): number {
  const problem = portProblem(port);
  if (problem === null) return port;
  throw new CaissonError('invalid_argument', `network.ports: ${port}: ${problem}`);
}
