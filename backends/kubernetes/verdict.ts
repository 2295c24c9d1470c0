/** Judges a trial of the network policies, without I/O. A trial of which one answer is missing proves nothing. */
import { isRecord } from '../shared/labels.ts';

/** Whether a connection came about. `unable`: the image has no program to try it with. */
export type Answer = 'reached' | 'refused' | 'unable';

/** Into the pod that the policy for open networks selects, and out of it. */
export type Way = 'inbound' | 'outbound';

/** A connection that no policy refuses. */
export interface Control {
  /** Reads as in "... does not work". */
  readonly what: string;
  readonly answer: Answer;
}

export interface Seen {
  readonly controls: readonly Control[];
  readonly inbound: Answer;
  /** `null`: the address of the other pod is not among those that are refused. */
  readonly outbound: Answer | null;
}

export type Verdict =
  | { readonly is: 'proved'; readonly ways: readonly Way[] }
  /** The ways that a policy closes and that are open all the same. */
  | { readonly is: 'open'; readonly ways: readonly Way[] }
  /** `mayPass`: the cluster did not answer, which says nothing about the next time. */
  | { readonly is: 'unknown'; readonly why: string; readonly mayPass: boolean };

/** A connection that came about shows that nothing refuses it, whatever else failed. */
export function verdictOf({ controls, inbound, outbound }: Seen): Verdict {
  const tried = [
    { way: 'inbound', answer: inbound },
    { way: 'outbound', answer: outbound },
  ] as const;
  const waysThat = (answer: Answer): readonly Way[] =>
    tried.flatMap((each) => (each.answer === answer ? [each.way] : []));
  if (waysThat('reached').length > 0) return { is: 'open', ways: waysThat('reached') };
  if (waysThat('unable').length > 0 || controls.some(({ answer }) => answer === 'unable')) return unknown(noProgram);
  const failed = controls.find(({ answer }) => answer !== 'reached');
  if (failed !== undefined) return unknown(`${failed.what} does not work`);
  return { is: 'proved', ways: waysThat('refused') };
}

const noProgram = 'the image has no program to try a connection with: perl, python3, node or nc';

export function unknown(why: string, mayPass = false): Verdict {
  return { is: 'unknown', why, mayPass };
}

/** Verdicts without a trial. */
export const untried = {
  off: unknown('terminal.kubernetes_policy_canary is false'),
  yet: unknown('it was not tried yet, which the first sandbox or `caisson doctor` does'),
  rights: unknown('rights for a trial are missing'),
} as const;

const nothing = 'nothing has shown that the cluster applies network policies';

/** Why it proves nothing, in a sentence without its end. */
export function shortcoming(verdict: Exclude<Verdict, { readonly is: 'proved' }>): string {
  if (verdict.is === 'unknown') return `${nothing}: ${verdict.why}`;
  const what = verdict.ways.map((way) => open[way]).join(' and ');
  return `the cluster does not apply network policies: a trial showed that ${what}`;
}

const open: Readonly<Record<Way, string>> = {
  inbound: 'other pods reach a sandbox (inbound)',
  outbound: 'a sandbox reaches other pods (outbound)',
};

/** `null`: this version has not written it. */
export function verdictFrom(value: unknown): Verdict | null {
  if (!isRecord(value)) return null;
  const { is, ways, why, mayPass } = value;
  if (is === 'unknown') return typeof why === 'string' ? unknown(why, mayPass === true) : null;
  if ((is !== 'proved' && is !== 'open') || !Array.isArray(ways)) return null;
  const known = (['inbound', 'outbound'] as const).filter((way) => ways.includes(way));
  return known.length === ways.length && known.length > 0 ? { is, ways: known } : null;
}
