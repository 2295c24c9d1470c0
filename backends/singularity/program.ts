/** The program `apptainer` or `singularity`: where it is, and running it to its end. */
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import type { OpenOptions } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { untilAborted } from '../shared/abort.ts';
import { type Start, startProcess } from '../shared/host-process.ts';
import type { Owner, Pipes } from '../shared/pipes.ts';
import type { Account } from './account.ts';
import { withoutLeaks } from './descriptors.ts';

/** The first is preferred where both are there. */
const names = ['apptainer', 'singularity'] as const;
const maxBytes = 64 * 1024;

export interface Host {
  readonly program: string;
  readonly account: Account;
  readonly pipes: Pipes;
  readonly path: string;
  /** An accounts file with a reserved account. `null`: the host's own file has it. */
  readonly accounts: string | null;
}

export interface Call {
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface ProgramOutput {
  readonly exitCode: number | null;
  /** What it printed to both streams, its beginning cut off past a bound. */
  readonly text: string;
}

export function pathOf(env: OpenOptions['env']): string {
  return env['PATH'] || '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
}

/** Throws `unavailable` when neither is there. */
export async function findProgram(path: string): Promise<string> {
  for (const name of names)
    for (const directory of path.split(':').filter((each) => each.startsWith('/'))) {
      const file = join(directory, name);
      if (await isProgram(file)) return file;
    }
  throw new CaissonError('unavailable', 'neither apptainer nor singularity is on the PATH', {
    details: { system: 'ENOENT' },
    remedy: 'install Apptainer (apptainer.org), without its setuid part, or `module load` it before Caisson starts',
  });
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false; // The question was whether it can be run.
  }
}

/** Runs as the account, with only `PATH` of the service's environment. An aborted program is killed with its group. */
export async function run(host: Host, { command, env = {}, signal }: Call): Promise<ProgramOutput> {
  const process = await startProcess(host.pipes, {
    ...asAccount(host, command),
    cwd: '/',
    env: { PATH: host.path, ...env },
    stdin: false,
    signal,
  });
  try {
    const done = Promise.all([process.wait(), tail(process.stdout), tail(process.stderr)]);
    const [end, stdout, stderr] = await untilAborted(done, signal);
    return { exitCode: end.exitCode, text: `${stdout}${stderr}`.trim() };
  } catch (error) {
    await process.kill('SIGKILL');
    throw error;
  } finally {
    process.release();
  }
}

export function programMissingError(program: string): CaissonError {
  return new CaissonError('unavailable', `${program} cannot be started`, {
    remedy: 'see `caisson doctor singularity` for how to install it',
  });
}

/** Apptainer runs only for users of the accounts file, so that for a reserved one it is put over the host's, for these processes alone. */
const withAccounts =
  'said=$(mount --bind "$1" /etc/passwd 2>&1) || { echo "$said" >&2; exit 1; }; shift; exec setpriv --clear-groups "$@"';

/** The command as the account runs it, and what starts it so. */
export function asAccount(
  { account, accounts }: Pick<Host, 'account' | 'accounts'>,
  command: Call['command'],
): Pick<Start, 'command' | 'account'> {
  if (accounts === null || !account.handedOver) return { command: withoutLeaks(command), account: identityOf(account) };
  const identity = [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--'];
  const shell = ['/bin/sh', '-c', withAccounts, 'sh', accounts, ...identity, ...command];
  return {
    command: withoutLeaks(['unshare', '--mount', '--propagation', 'slave', '--', ...shell]),
    account: undefined,
  };
}

/** `undefined`: the service's own. */
export function identityOf({ handedOver, uid, gid }: Account): Owner | undefined {
  return handedOver ? { uid, gid } : undefined;
}

async function tail(stream: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const chunk of stream) text = `${text}${chunk.toString('latin1')}`.slice(-maxBytes);
  return text;
}

/** Why it failed, in its own words: the first line of the worst kind, else the last one. Without colours and controls. */
export function lastWords({ text }: ProgramOutput): string {
  // oxlint-disable-next-line no-control-regex -- the point is to remove them
  const plain = text.replaceAll(/\u001b\[[0-9;]*m/g, '').replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f]/g, ' ');
  const lines = plain.trim().split('\n');
  return (lines.find((line) => line.startsWith('FATAL')) ?? lines.at(-1) ?? '').trim().slice(0, 400);
}
