/** A command that a caller requests, as a checked request and as the guard sees it. */
import type { ExecInput, SandboxRequest } from '../api.ts';
import { newExecId } from '../../exec/random.ts';
import { type CheckedRequest, checkRequest } from '../../exec/request.ts';
import type { ExecRequest } from '../../exec/types.ts';
import { usersNotSupportedError } from '../../exec/user.ts';
import { type Call, callOf, type Look, type Subject } from '../../guard/call.ts';
import type { Origin, Provision } from './provision.ts';
import { declaredIn } from '../../secrets/redactions.ts';
import type { Plan } from '../../plan/types.ts';
import type { StepOptions } from '../../sandbox/context.ts';
import { workspaceOf } from '../files/relative.ts';
import { checkExecEnv } from '../../values/env.ts';
import { ownerOf } from '../../values/owner.ts';
import { checkUser } from '../../values/user.ts';

/** A command and the plan of its sandbox. Nothing has been decided about it. */
export interface Proposal {
  readonly plan: Plan;
  readonly input: ExecInput;
  /** All of its stdin, where the request brings it. */
  readonly given?: string | Uint8Array | undefined;
  /** What the command stands for. Absent: for itself. */
  readonly subject?: Subject;
  /** Asks the shell that will run it, where that lives already. */
  readonly look?: Look;
  /** See `identityOf`. */
  readonly identity: string;
}

/** The part of an exec request that describes its sandbox. The directory is that of the command, not of the sandbox. */
export function sandboxPart<T extends SandboxRequest>({ cwd: _cwd, ...request }: T): Omit<T, 'cwd'> {
  return request;
}

export interface Rules {
  readonly origin: Origin;
  /** Limits a request as the profile requires, which must stay in its workspace; `null` where the profile changes nothing. */
  readonly limit: ((request: ExecRequest, workspace: string) => ExecRequest) | null;
}

export interface Checked {
  /** Request within the limits of the profile. */
  readonly request: CheckedRequest;
  readonly call: Call;
}

/** Throws `invalid_argument` for a request that cannot be run at all. */
export function checkProposal(
  { origin, limit }: Rules,
  proposal: Proposal,
  { provision, said }: { readonly provision: Provision; readonly said: StepOptions['said'] },
): Checked {
  const { plan, input, look } = proposal;
  const workspace = workspaceOf(plan, said?.directory ?? origin.cwd);
  const wanted = checkRequest(requestOf(proposal, { provision, workspace }));
  // Programs and sessions have directories of their own.
  const root = proposal.subject === undefined ? workspace : '/';
  const request = limit === null ? wanted : checkRequest(limit(wanted, root));
  const redactions = origin.redactions.of(ownerOf(plan.taskId));
  redactions.declareVariables(request.env, provision.variables);
  const call = callOf({
    plan,
    request,
    subject: proposal.subject ?? { kind: 'argv', argv: request.command },
    redaction: redactions.current(),
    look,
    input: proposal.given,
    variables: { set: input.env ?? {}, anyway: environmentWithout(plan, { origin, provision }) },
  });
  return { request, call };
}

function requestOf(
  { plan, input }: Proposal,
  { provision, workspace }: { readonly provision: Provision; readonly workspace: string },
): ExecRequest {
  checkExecEnv(input.env ?? {});
  const env = { ...provision.env, ...input.env };
  const [program = '', ...args] = input.command;
  return {
    execId: input.execId ?? newExecId(),
    command: [program, ...args],
    cwd: input.cwd ?? workspace,
    ...userOf(plan, input),
    env,
    confidential: declaredIn(env, new Set(provision.variables)).length > 0,
    stdin: input.stdin ?? false,
    tty: input.tty ?? null,
    timeoutMs: input.timeoutMs === undefined ? plan.timeoutMs : input.timeoutMs,
    outputLimitBytes: input.outputLimitBytes ?? null,
  };
}

/** Throws `invalid_argument` or `not_supported` before a sandbox is made for the command. */
function userOf({ guarantees, spec }: Plan, { user }: ExecInput): Pick<ExecRequest, 'user'> {
  if (user === undefined) return {};
  const checked = checkUser(user);
  if (guarantees.users === undefined || spec.hardening.user !== 'root') throw usersNotSupportedError();
  return { user: checked };
}

/** What the command would have without the variables of its request: on other hosts only the provision is known. */
function environmentWithout(
  { guarantees }: Plan,
  { origin, provision }: { readonly origin: Origin; readonly provision: Provision },
): Readonly<Record<string, string | undefined>> {
  return guarantees.isolation === 'none' ? { ...origin.env, ...provision.env } : provision.env;
}
