/**
 * tirith, a scanner of its own (github.com/sheeki03/tirith): run as a program when it is there, for commands that could
 * touch a host. What it warns of joins the question.
 */
import type { Config } from '../../config/types.ts';
import type { Decision, Finding } from '../../policy/types.ts';
import type { StepOptions } from '../../sandbox/context.ts';
import { textOf } from '../binding.ts';
import type { Admission, Step } from '../gate.ts';
import { programEnv, runProgram } from '../../lib/run-program.ts';
import { deniedError } from '../refusal.ts';
import { type ScanAnswer, scanAnswerOf } from './answer.ts';

export interface TirithStepInput {
  readonly security: Config['security'];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The state directory: where it is run. */
  readonly home: string;
}

/** Like what cannot be read: it can be approved for this command or its repetition, and by no saved rule. */
const rule = 'U20';
/** How long an absent one is not looked for again. */
const missingMs = 60_000;

export class TirithStep implements Step {
  readonly #parts: TirithStepInput;
  #missingUntil = 0;

  constructor(parts: TirithStepInput) {
    this.#parts = parts;
  }

  readonly concerns = ({ call }: Admission): boolean =>
    this.#parts.security.tirith_enabled &&
    call.reach !== 'container' &&
    call.subject.kind !== 'file' &&
    (call.subject.kind !== 'code' || call.subject.language === 'bash') &&
    !(this.#parts.security.tirith_fail_open && performance.now() < this.#missingUntil);

  readonly pass = async (admission: Admission, options: StepOptions): Promise<Admission> => {
    const answer = await this.#ask(admission, options);
    if (answer.kind === 'allow') return admission;
    if (answer.kind === 'failed') return this.#failed(admission, answer);
    const decision = joined(admission.decision, findingsOf(answer, textOf(admission.call).length));
    if (answer.kind === 'block' && this.#parts.security.tirith_block === 'deny')
      throw deniedError(admission.call, { ...decision, verdict: 'deny' });
    return { ...admission, decision };
  };

  async #ask({ call }: Admission, { signal }: StepOptions): Promise<ScanAnswer> {
    const { tirith_path: path, tirith_timeout: timeout } = this.#parts.security;
    const userHome = this.#parts.env['HOME'];
    const program = path.startsWith('~/') && userHome !== undefined ? `${userHome}${path.slice(1)}` : path;
    const end = await runProgram({
      command: [program, 'check', '--json', '--non-interactive', '--shell', 'posix', '--', textOf(call)],
      cwd: this.#parts.home,
      env: programEnv(this.#parts.env),
      input: '',
      timeoutMs: timeout * 1000,
      signal,
    });
    return scanAnswerOf(end);
  }

  #failed(admission: Admission, { reason, missing }: Extract<ScanAnswer, { readonly kind: 'failed' }>): Admission {
    if (missing) this.#missingUntil = performance.now() + missingMs;
    if (this.#parts.security.tirith_fail_open) return admission;
    const description = `tirith could not look at it, and security.tirith_fail_open is false: ${reason}`;
    const finding = { rule, description, start: 0, end: textOf(admission.call).length };
    throw deniedError(admission.call, { verdict: 'deny', tier: 'rule', findings: [finding] });
  }
}

function findingsOf(
  { kind, reasons }: Extract<ScanAnswer, { readonly kind: 'warn' | 'block' }>,
  end: number,
): readonly Finding[] {
  return reasons.map((reason) => ({
    rule,
    description: `tirith ${kind === 'block' ? 'would block it' : 'warns'}: ${reason}`,
    start: 0,
    end,
  }));
}

function joined({ tier, findings }: Decision, added: readonly Finding[]): Decision {
  return {
    verdict: 'ask',
    tier: tier === 'none' || tier === 'mode' ? 'dangerous' : tier,
    findings: [...findings, ...added],
  };
}
