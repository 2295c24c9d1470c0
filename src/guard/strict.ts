/** What the profile `strict` does to every command beside judging it: bounds of time and output, its place, its environment. */
import { posix } from 'node:path';
import type { Loaded, TaskTerminal } from '../config/types.ts';
import { CaissonError } from '../errors.ts';
import type { ExecRequest } from '../exec/types.ts';
import { strictProfile } from '../policy/permission/strict.ts';

const { defaultTimeoutMs, maxTimeoutMs, outputBytes, strippedEnv, addedEnv } = strictProfile;

/** Defaults that were not changed become those of the profile, and what is configured keeps within its bounds. */
export function underProfile(loaded: Loaded): Loaded {
  const { config } = loaded;
  const exec = { ...config.exec, output_bytes: Math.min(config.exec.output_bytes, outputBytes) };
  return { ...loaded, config: { ...config, exec }, forTask: (taskId) => strictTerminal(loaded.forTask(taskId)) };
}

function strictTerminal({ terminal, originOf }: TaskTerminal): TaskTerminal {
  const wanted = originOf('timeout') === 'default' ? defaultTimeoutMs / 1000 : terminal.timeout;
  const timeout = Math.min(wanted ?? Number.POSITIVE_INFINITY, maxTimeoutMs / 1000);
  return { terminal: { ...terminal, timeout }, originOf };
}

/** Throws `policy_denied` for a working directory that is not in the workspace, `invalid_argument` for a longer timeout. */
export function strictRequest(request: ExecRequest, workspace: string): ExecRequest {
  const cwd = posix.resolve(workspace, request.cwd);
  const root = posix.normalize(workspace).replace(/\/$/, '');
  if (cwd !== root && !cwd.startsWith(`${root}/`))
    throw new CaissonError(
      'policy_denied',
      'the working directory is not in the workspace, and the profile is strict',
      {
        remedy: `use ${workspace}, or a directory below it`,
      },
    );
  const env = Object.fromEntries(Object.entries(request.env).filter(([name]) => !isStripped(name)));
  return { ...request, cwd, timeoutMs: boundedTimeout(request), env: { ...env, ...addedEnv } };
}

function boundedTimeout({ timeoutMs }: ExecRequest): number {
  if (timeoutMs === null || timeoutMs <= maxTimeoutMs) return timeoutMs ?? maxTimeoutMs;
  const [asked, max] = [timeoutMs / 1000, maxTimeoutMs / 1000];
  throw new CaissonError('invalid_argument', `a timeout of ${asked} s is more than the profile strict allows`, {
    remedy: `ask for at most ${max} s; what takes longer needs policy.profile: standard`,
    details: { timeoutMs, mostTimeoutMs: maxTimeoutMs },
  });
}

function isStripped(name: string): boolean {
  return strippedEnv.some((each) => (each.endsWith('*') ? name.startsWith(each.slice(0, -1)) : name === each));
}
