/** One instance of Apptainer: the processes of one sandbox, with namespaces of their own. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CaissonError } from '../../src/errors.ts';
import { isRecord, parseJson } from '../shared/labels.ts';
import { systemError, systemCode } from '../shared/system-fault.ts';
import type { Cgroup } from './cgroup.ts';
import { carries, isFiltered, readNamespace, placeAll } from './host-processes.ts';
import { openPlaces, overlayOf } from './overlay.ts';
import { makeAccountDirectory, plainPath } from './places.ts';
import { type Host, lastWords, run } from './program.ts';
import type { Registration } from './registration.ts';
import { apptainerProfile } from './seccomp.ts';

const instanceName = 'sandbox';

/** Beside what the account writes; not in what it could be made to change. */
function profileOf(directory: string): string {
  return join(directory, 'seccomp.json');
}

function filterOf(directory: string, { seccomp }: Registration['plan']): readonly string[] {
  return seccomp ? ['--security', `seccomp:${profileOf(directory)}`] : [];
}

/** An Apptainer that was built without it only warns. */
function noFilterError(): CaissonError {
  return new CaissonError('not_supported', 'this Apptainer applies no filter of system calls', {
    remedy: 'take one that was built with libseccomp, or set terminal.singularity_seccomp: engine',
  });
}

/** Every process, the first one included, has no privilege, cannot get one, and sees nothing of the caller's environment. */
const posture = ['--userns', '--cleanenv', '--no-privs', '--drop-caps', 'ALL'] as const;

export interface Running {
  /** Id of its first process on this host. */
  readonly pid: number;
  /** Its pid namespace, as the kernel names it. */
  readonly namespace: string;
  /** Whether a filter of system calls applies to its first process (proc_pid_status(5)). */
  readonly filtered: boolean;
}

/** Apptainer's own files on this sandbox. Every process that it runs outside has this path in its environment. */
export function configOf(directory: string): string {
  return join(directory, 'config');
}

export function clientEnv(directory: string): Readonly<Record<string, string>> {
  const config = configOf(directory);
  return { HOME: config, APPTAINER_CONFIGDIR: config, SINGULARITY_CONFIGDIR: config };
}

/** The command line of one command. What is in it anybody on the host can read: it holds nothing of the caller's. */
export function execCommand(
  program: string,
  { directory, plan }: Registration,
  command: readonly string[],
): readonly [string, ...string[]] {
  return [
    program,
    '-s',
    'exec',
    ...posture,
    ...filterOf(directory, plan),
    '--pwd',
    '/',
    `instance://${instanceName}`,
    ...command,
  ];
}

/** `null`: it does not run. */
export async function findInstance(directory: string): Promise<Running | null> {
  const pid = await recordedPid(configOf(directory));
  // A number may belong to a stranger by now, as after a reboot.
  if (pid === null || !(await carries(pid, configOf(directory)))) return null;
  const namespace = await readNamespace(pid);
  if (namespace === null || namespace === (await readNamespace(process.pid))) return null;
  return { pid, namespace, filtered: await isFiltered(pid) };
}

/** The overlay is prepared, and so is the control group, where there are any. */
export async function startInstance(host: Host, registration: Registration, cgroup: Cgroup | null): Promise<Running> {
  const { directory } = registration;
  await makeAccountDirectory(configOf(directory), host.account);
  const { seccomp, refuseSetid } = registration.plan;
  const profile = seccomp ? apptainerProfile(undefined, refuseSetid) : null;
  if (profile !== null) await writeFile(profileOf(directory), profile, { mode: 0o644 });
  const args = startArguments(host, registration, cgroup);
  const command = [host.program, '-q', 'instance', 'start', ...args, registration.plan.root, instanceName] as const;
  const said = await run(host, { command, env: clientEnv(directory) });
  const running = await findInstance(directory);
  if (running === null) throw startError(said);
  if (seccomp && !running.filtered) throw noFilterError();
  if (cgroup !== null) await placeAll(running.namespace, cgroup);
  return running;
}

function startError(said: { readonly exitCode: number | null; readonly text: string }): CaissonError {
  return new CaissonError('unavailable', `the container did not start: ${lastWords(said)}`, {
    details: { exitCode: said.exitCode },
    remedy: 'see `caisson doctor singularity`, and whether the image runs: apptainer exec --userns IMAGE true',
  });
}

function startArguments({ account }: Host, registration: Registration, cgroup: Cgroup | null): readonly string[] {
  const { plan } = registration;
  const overlay = overlayOf(registration, account);
  const open = openPlaces.map((name) => ({ source: join(overlay, 'open', name), target: `/${name}`, readOnly: false }));
  const groups = (cgroup?.mounts ?? []).map((each) => ({ ...each, readOnly: true }));
  return [
    ...posture,
    ...filterOf(registration.directory, plan),
    '--containall',
    '--no-home',
    ...['--no-mount', 'bind-paths,tmp,home,cwd,hostfs,sys'],
    ...['--hostname', instanceName],
    ...(plan.network !== 'open' ? ['--net', '--network', 'none'] : []),
    ...(plan.readOnlyRoot ? [] : ['--overlay', overlay]),
    ...[...open, ...groups, ...plan.mounts, ...(plan.credentials === null ? [] : [plan.credentials])].flatMap(
      ({ source, target, readOnly }) => [
        '--bind',
        `${plainPath(source, 'a mount')}:${plainPath(target, 'a mount')}:${readOnly ? 'ro' : 'rw'}`,
      ],
    ),
  ];
}

async function recordedPid(config: string): Promise<number | null> {
  try {
    const files = await readdir(join(config, 'instances'), { recursive: true });
    const file = files.find((path) => path.endsWith(`/${instanceName}/${instanceName}.json`));
    if (file === undefined) return null;
    const value = parseJson(await readFile(join(config, 'instances', file), 'utf8'));
    return isRecord(value) && Number.isSafeInteger(value['pid']) ? Number(value['pid']) : null;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return null;
    throw systemError(error, 'look for the instance');
  }
}
