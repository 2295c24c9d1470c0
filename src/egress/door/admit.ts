/** From a name and a port to a connection: judged by name, looked up once, judged by address, dialled, and judged again. */
import type { Socket } from 'node:net';
import { toCaissonError } from '../../errors.ts';
import { readIp } from '../../values/ip.ts';
import type { Reach } from '../../network/dial/reach.ts';
import { openSocket } from '../../network/dial/socket.ts';
import { type Lookup, resolved } from '../../network/dial/vet.ts';
import { deny, judgeAnswers, type JudgeRules, judgeTarget } from './decide.ts';
import type { DoorLimits } from './limits.ts';
import type { Decision, Target } from './types.ts';

export interface AdmitInput {
  /** Reads the rules that hold now. An error denies the connection. */
  readonly rules: () => Promise<JudgeRules>;
  readonly lookup: Lookup;
  readonly reach: Reach;
  readonly limits: Pick<DoorLimits, 'lookupTimeoutMs' | 'connectTimeoutMs'>;
}

export type Admission =
  | { readonly socket: Socket; readonly address: string; readonly decision: Decision }
  /** `status`: of the answer in HTTP. */
  | { readonly socket: null; readonly decision: Decision; readonly status: 403 | 502 };

/** Never rejects. The socket is the caller's. */
export async function admit(target: Target, parts: AdmitInput, signal: AbortSignal): Promise<Admission> {
  const rules = await rulesOf(parts);
  if (!('egress' in rules)) return refused(rules, 403);
  const byName = judgeTarget(target, rules);
  if (byName.verdict === 'deny') return refused(byName, 403);
  const isAddress = readIp(target.name) !== null;
  let answers: readonly string[];
  try {
    answers = isAddress ? [target.name] : await lookedUp(target, parts);
  } catch (error) {
    return refused(deny('lookup', toCaissonError(error).message), 502);
  }
  // A lookup takes its time, in which the rules may change.
  const decision = isAddress
    ? judgeAnswers(target, answers, { ...rules, byName })
    : await judgedNow(target, answers, parts);
  if (decision.verdict === 'deny') return refused(decision, 403);
  return await dialled(target, answers, { ...parts, signal, decision });
}

const lookedUp = ({ name }: Target, { lookup, limits }: AdmitInput): Promise<readonly string[]> =>
  resolved(name, { lookup, lookupTimeoutMs: limits.lookupTimeoutMs });

async function dialled(
  target: Target,
  answers: readonly string[],
  { signal, decision, ...parts }: AdmitInput & { readonly signal: AbortSignal; readonly decision: Decision },
): Promise<Admission> {
  const { connectTimeoutMs } = parts.limits;
  try {
    const { socket, address } = await openSocket(answers, target.port, {
      connectTimeoutMs,
      reach: parts.reach,
      signal,
    });
    socket.on('error', () => undefined);
    // The rules may have changed since.
    const now = await judgedNow(target, [address], parts);
    if (now.verdict === 'allow' && !signal.aborted) return { socket, address, decision: now };
    socket.destroy();
    return refused(now, 403);
  } catch (error) {
    return refused({ ...decision, reason: toCaissonError(error).message }, 502);
  }
}

async function judgedNow(target: Target, answers: readonly string[], parts: AdmitInput): Promise<Decision> {
  const rules = await rulesOf(parts);
  if (!('egress' in rules)) return rules;
  return judgeAnswers(target, answers, { ...rules, byName: judgeTarget(target, rules) });
}

/** What cannot be read denies. */
async function rulesOf({ rules }: AdmitInput): Promise<JudgeRules | Decision> {
  try {
    return await rules();
  } catch (error) {
    return deny('rules', `the rules cannot be read: ${toCaissonError(error).message}`);
  }
}

const refused = (decision: Decision, status: 403 | 502): Admission => ({ socket: null, decision, status });
