/** Admission: the way from a proposal to an exec that may be started. Nothing has been started or recorded on it. */
import { CaissonError } from '../../errors.ts';
import { type CheckedRequest, checkRequest } from '../../exec/request.ts';
import type { Call } from '../../guard/call.ts';
import type { Gate } from '../../guard/gate.ts';
import { isInside } from '../../guard/inside.ts';
import { timed } from '../../lib/timed.ts';
import type { Plan } from '../../plan/types.ts';
import type { Context, StepOptions } from '../../sandbox/context.ts';
import { refuseWhenFull } from '../../store/reserve.ts';
import { checkProposal, type Proposal, type Rules } from './proposal.ts';
import { noProvision, type Provision, type Provisions, withFiles } from './provision.ts';

export interface ExecAdmissionInput extends Rules {
  readonly context: Context;
  /** What stands before every command. */
  readonly guard: Gate;
  /** What stands before the record of a command that ran before: rules that deny. */
  readonly repeats: Gate;
}

/** An exec that may be started. What the guard has seen is a copy, and is what will be started. */
export interface AdmittedExec {
  readonly plan: Plan;
  readonly request: CheckedRequest;
  /** What the guard has admitted. */
  readonly call: Call;
  /** What it gets of this host. */
  readonly provision: Provision;
  /** Hash of the request as it came: a repetition of the id is compared with it. */
  readonly identity: string;
  /** Whether the id was made here just now, so that no other command can have it. */
  readonly fresh: boolean;
  readonly rawOutput: boolean;
}

export class Admission {
  readonly #parts: ExecAdmissionInput;
  readonly #provisions: Provisions;

  constructor(parts: ExecAdmissionInput, provisions: Provisions) {
    this.#parts = parts;
    this.#provisions = provisions;
  }

  /** Throws `invalid_argument`, `policy_denied` or `approval_required`. */
  async admit(proposal: Proposal, options: StepOptions): Promise<AdmittedExec> {
    const { plan, input, identity } = proposal;
    refuseWhenFull(this.#parts.context.home);
    if (input.rawOutput === true) this.#refuseInside();
    const provision = await this.#provisions.of(plan, input.skills ?? []);
    const { request, call } = checkProposal(this.#parts, proposal, { provision, said: options.said });
    const admitted = await timed(options, 'policy', async () => await this.#parts.guard.admit(call, options));
    const { subject } = admitted;
    return {
      plan: withFiles(plan, provision),
      call: admitted,
      request:
        subject.kind === 'argv' && subject.argv !== request.command
          ? checkRequest({ ...request, command: subject.argv })
          : request,
      provision,
      identity,
      fresh: input.execId === undefined,
      rawOutput: input.rawOutput ?? false,
    };
  }

  /** Throws `policy_denied` for the repetition of a command that rules deny by now. */
  async judgeRepeat(proposal: Proposal, options: StepOptions): Promise<void> {
    const from = { provision: noProvision, said: options.said };
    await this.#parts.repeats.admit(checkProposal(this.#parts, proposal, from).call, options);
  }

  #refuseInside(): void {
    if (!isInside(this.#parts.origin.env)) return;
    throw new CaissonError('permission_denied', 'raw output is not given inside a command that Caisson runs', {
      remedy: 'take the output without secrets, or run it outside',
    });
  }
}
