/** From options to requests of the service. What is absent stays absent: defaults are the service's business. */
import type { ExecInput, SandboxChange, SandboxRequest } from '../service/api.ts';
import { readEnv } from './env.ts';
import type { commandOptions, GivenOf, lifeOptions, sandboxOptions, userOption } from './option.ts';
import { UsageError } from './usage.ts';
import { readBytes, readChoice, readCores, readDuration, readLabels } from './values.ts';
import type { World } from './world.ts';

type Sandbox = GivenOf<typeof sandboxOptions>;
type Command = GivenOf<
  typeof commandOptions & Pick<typeof sandboxOptions, 'cwd'> & { readonly user: typeof userOption }
>;

export function sandboxRequest(given: Sandbox): SandboxRequest {
  const [backend, image, cwd] = [given.text('backend'), given.text('image'), given.text('cwd')];
  const limits = limitsOf(given);
  const network = given.text('network');
  return {
    ...(backend === undefined ? {} : { backend }),
    ...(image === undefined ? {} : { image }),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
    ...(network === undefined
      ? {}
      : { network: readChoice('--network', network, ['open', 'observe', 'filtered', 'none']) }),
    ...(cwd === undefined ? {} : { cwd }),
    ...lifeOf(given),
    ...(given.flag('allow-degraded') ? { allowDegraded: true } : {}),
    ...(given.flag('recreate') ? { recreate: true } : {}),
  };
}

/** Labels and times, as far as they are given. */
export function lifeOf(
  given: GivenOf<typeof lifeOptions>,
): Pick<SandboxChange, 'idleTimeoutMs' | 'lifetimeMs'> & Pick<SandboxRequest, 'labels'> {
  const [idle, lifetime] = [given.text('idle'), given.text('lifetime')];
  return {
    ...(given.list('label').length === 0 ? {} : { labels: readLabels('--label', given.list('label')) }),
    ...(idle === undefined ? {} : { idleTimeoutMs: readDuration('--idle', idle) }),
    ...(lifetime === undefined ? {} : { lifetimeMs: readDuration('--lifetime', lifetime) }),
  };
}

function limitsOf(given: Sandbox): NonNullable<SandboxRequest['limits']> {
  const [cpu, memory, disk] = [given.text('cpu'), given.text('memory'), given.text('disk')];
  return {
    ...(cpu === undefined ? {} : { cpuCores: readCores('--cpu', cpu) }),
    ...(memory === undefined ? {} : { memoryBytes: readBytes('--memory', memory) }),
    ...(disk === undefined ? {} : { diskBytes: readBytes('--disk', disk) }),
  };
}

export function commandInput(given: Command, world: World): ExecInput {
  const timeout = given.text('timeout');
  const execId = given.text('exec-id');
  const [cwd, user] = [given.text('cwd'), given.text('user')];
  const timeoutMs = timeout === undefined ? undefined : readDuration('--timeout', timeout);
  const env = readEnv(given.list('env'), given.list('env-file'), world);
  return {
    command: commandOf(given.command),
    ...(execId === undefined ? {} : { execId }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(user === undefined ? {} : { user }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(given.flag('raw-output') ? { rawOutput: true } : {}),
    ...(given.list('skill').length === 0 ? {} : { skills: given.list('skill') }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

function commandOf(words: readonly string[]): readonly [string, ...string[]] {
  const [program, ...args] = words;
  if (program === undefined) throw new UsageError('there is no command after --');
  return [program, ...args];
}

/** The task as an argument or as --task, not both. */
export function taskOf(given: GivenOf<Pick<typeof sandboxOptions, 'task'>>): string {
  const named = given.text('task');
  const [operand] = given.operands;
  if (named !== undefined && operand !== undefined)
    throw new UsageError(`the task is given twice: ${operand} and --task ${named}`);
  const task = named ?? operand;
  if (task === undefined) throw new UsageError('which task?', { remedy: 'caisson ls shows what is there' });
  return task;
}
