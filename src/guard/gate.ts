/** What stands before every command: a short list of steps, each of which lets it pass, changes it, or refuses it. */
import type { Decision } from '../policy/types.ts';
import type { StepOptions } from '../sandbox/context.ts';
import type { Call } from './call.ts';

/** A command on its way through the gate, and what has been decided about it so far. */
export interface Admission {
  readonly call: Call;
  readonly decision: Decision;
  /** Why something that is asked for may run. Absent: nothing was asked for. */
  readonly answered?: Answered;
}

/**
 * A choice; `skipped`: YOLO or `approvals.mode: off`; `unattended`: no person is there, and the configuration approves then;
 * `reviewed`: the model of mode `smart` has said so.
 */
export type Answered = 'once' | 'session' | 'always' | 'skipped' | 'unattended' | 'reviewed';

export interface Step {
  /** Must be quick, and load nothing: most commands concern no step. */
  readonly concerns: (admission: Admission, options: StepOptions) => boolean;
  /** Throws `policy_denied` or `approval_required` to refuse. */
  readonly pass: (admission: Admission, options: StepOptions) => Promise<Admission>;
}

/** Keeps what was decided about a call, from how it came to how it went. */
export type Record = (from: Call, outcome: Admission | { readonly refused: unknown }) => void;

const undecided: Decision = { verdict: 'allow', tier: 'none', findings: [] };

export class Gate {
  readonly #steps: readonly Step[];
  readonly #record: Record;

  constructor(steps: readonly Step[], record: Record) {
    this.#steps = steps;
    this.#record = record;
  }

  /** Resolves to the command that may run: start that one and no other. */
  async admit(call: Call, options: StepOptions): Promise<Call> {
    const admission = await this.#through({ call, decision: undecided }, options).catch((refused: unknown) => {
      this.#record(call, { refused });
      throw refused;
    });
    this.#record(call, admission);
    return admission.call;
  }

  async #through(first: Admission, options: StepOptions): Promise<Admission> {
    let admission = first;
    for (const step of this.#steps)
      if (step.concerns(admission, options)) admission = await step.pass(admission, options);
    return admission;
  }
}
