/** A wanted command as a request, and as the guard sees it. */
import type { ExecInput, SandboxRequest } from '../api.ts';
import { newExecId } from '../../exec/random.ts';
import { checkRequest } from '../../exec/request.ts';
import type { ExecRequest } from '../../exec/types.ts';
import { type Call, callOf, type Look, type Subject } from '../../guard/call.ts';
import type { Origin, Provision } from './provision.ts';
import { declaredIn } from '../../secrets/redactions.ts';
import type { Plan } from '../../plan/types.ts';
import { checkExecEnv } from '../../values/env.ts';

/** What a caller wants to be run. */
export interface Wish {
  readonly input: ExecInput;
  /** What the command stands for. Absent: for itself. */
  readonly subject?: Subject;
  /** Asks the shell that will run it, where that lives already. */
  readonly look?: Look;
  /** See `identityOf`. */
  readonly identity: string;
}

export interface Wanted {
  readonly plan: Plan;
  readonly wish: Wish;
}

/** What a command wants of its sandbox. The directory is the command's own, and not kept as that of the sandbox. */
export function sandboxIn<T extends SandboxRequest>({ cwd: _cwd, ...request }: T): Omit<T, 'cwd'> {
  return request;
}

export interface Asking {
  readonly origin: Origin;
  /** What the profile makes of a request, which must stay in its workspace; `null` where it changes nothing. */
  readonly limit: ((request: ExecRequest, workspace: string) => ExecRequest) | null;
}

export interface Asked {
  /** As the profile limits it. */
  readonly wanted: ExecRequest;
  readonly call: Call;
}

/** Throws `invalid_argument` for a request that cannot be one. `given`: what it gets of this host. */
export function askedOf(
  { origin, limit }: Asking,
  plan: Plan,
  { wish: { input, subject, look }, given }: { readonly wish: Wish; readonly given: Provision },
): Asked {
  const workspace = plan.guarantees.isolation === 'none' ? origin.cwd : plan.spec.cwd;
  const request = requestOf(plan, input, { given, workspace });
  checkRequest(request);
  // Programs and sessions have directories of their own.
  const wanted = limit?.(request, subject === undefined ? workspace : '/') ?? request;
  const call = callOf({
    plan,
    request: wanted,
    subject: subject ?? { kind: 'argv', argv: wanted.command },
    redaction: origin.redactions.forExec(wanted.env, given.variables),
    look,
    variables: { set: input.env ?? {}, anyway: anywayOf(plan, { origin, given }) },
  });
  return { wanted, call };
}

function requestOf(
  plan: Plan,
  input: ExecInput,
  { given, workspace }: { readonly given: Provision; readonly workspace: string },
): ExecRequest {
  checkExecEnv(input.env ?? {});
  const env = { ...given.env, ...input.env };
  const [program, ...args] = input.command;
  return {
    execId: input.execId ?? newExecId(),
    command: [program, ...args],
    cwd: input.cwd ?? workspace,
    env,
    confidential: declaredIn(env, new Set(given.variables)).length > 0,
    stdin: input.stdin ?? false,
    tty: input.tty ?? null,
    timeoutMs: input.timeoutMs === undefined ? plan.timeoutMs : input.timeoutMs,
    outputLimitBytes: input.outputLimitBytes ?? null,
  };
}

/** The caller's own on this host. Of hosts elsewhere it is not known what a command would have. */
function anywayOf(
  { guarantees }: Plan,
  { origin, given }: { readonly origin: Origin; readonly given: Provision },
): Readonly<Record<string, string | undefined>> {
  return guarantees.isolation === 'none' ? { ...origin.env, ...given.env } : given.env;
}
