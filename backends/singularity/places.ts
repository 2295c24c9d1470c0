/** Directories of the backend on this host. */
import { chmod, chown, lstat, mkdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, normalize } from 'node:path';
import type { OpenOptions } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { systemError, systemCode } from '../shared/system-fault.ts';
import type { Account } from './account.ts';
import { type Host, run } from './program.ts';

/** Node-local schedulers give a job a directory of its own, gone with the job as its processes are. */
const scratchVariables = ['TERMINAL_SCRATCH_DIR', 'SLURM_TMPDIR', 'TMPDIR'] as const;

type Settings = OpenOptions['settings'];

export function scratchOf({ env, settings }: Pick<OpenOptions, 'env' | 'settings'>): string {
  const wanted = textOf(settings, 'scratch_dir') ?? scratchVariables.map((name) => env[name]).find(Boolean) ?? '/tmp';
  return plainPath(expand(wanted), 'terminal.singularity_scratch_dir');
}

/**
 * A home directory of root is closed to the account that builds images for it. Images belong to the account, and are closed
 * to another one, so that for root each account has a directory in the cache.
 */
export function cacheOf(
  { env, settings }: Pick<OpenOptions, 'env' | 'settings'>,
  { handedOver, uid }: Pick<Account, 'handedOver' | 'uid'>,
): string {
  const usual = handedOver ? '/var/cache' : env['XDG_CACHE_HOME'] || join(env['HOME'] || homedir(), '.cache');
  const cache = configuredCache(settings) ?? plainCache(join(usual, 'caisson/singularity'));
  return handedOver ? join(cache, String(uid)) : cache;
}

/** Directory from which the account follows: the configured cache, which state directories may share, else the state directory. */
export function ownerOf({ settings, instance }: Pick<OpenOptions, 'settings' | 'instance'>): string {
  const cache = configuredCache(settings);
  return cache === null ? `home ${instance}` : `cache ${cache}`;
}

function configuredCache(settings: Settings): string | null {
  const wanted = textOf(settings, 'cache_dir');
  return wanted === null ? null : plainCache(normalize(expand(wanted)));
}

function plainCache(path: string): string {
  return plainPath(path, 'terminal.singularity_cache_dir');
}

export function textOf(settings: Settings, key: string): string | null {
  const value = settings?.[key];
  return typeof value === 'string' && value !== '' ? value : null;
}

function expand(path: string): string {
  return path.startsWith('~/') ? join(homedir(), path.slice(2)) : path;
}

/** Apptainer separates paths by colons and commas, and has no way to write one that holds them. */
export function plainPath(path: string, what: string): string {
  if (/^\/[^:,"\\\n]*$/.test(path)) return path;
  throw new CaissonError(
    'invalid_argument',
    `${what}: ${JSON.stringify(path.slice(0, 200))} is not an absolute path without : , " and \\`,
  );
}

/** Entered by the account, listed and written by this user alone. Throws `failed_precondition` when others could write in it. */
export async function makeOurs(directory: string): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o711 });
    const { uid, mode } = await lstat(directory);
    if (uid === process.getuid?.() && (mode & 0o022) === 0) return;
  } catch (error) {
    throw systemError(error, `make ${directory}`);
  }
  throw new CaissonError('failed_precondition', `${directory} is not a directory that only this account writes`, {
    remedy: 'remove it, or set terminal.singularity_scratch_dir to another directory',
  });
}

/** Registrations are closed to everybody; who runs the containers must reach these. */
export async function runRoot(scratch: string): Promise<string> {
  const directory = join(scratch, `caisson-run-${process.getuid?.() ?? 0}`);
  await makeOurs(directory);
  return directory;
}

/** The accounts file with a reserved account, which what this account starts sees as /etc/passwd. */
export function accountsFile(runs: string, { reserved, uid }: Pick<Account, 'reserved' | 'uid'>): string | null {
  return reserved ? join(runs, `passwd-${uid}`) : null;
}

/** Entered by the account alone; written by this user alone. */
export async function makeBetween(directory: string, { handedOver, gid }: Account): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o710 });
    if (handedOver) await chown(directory, 0, gid);
  } catch (error) {
    throw systemError(error, `make ${directory}`);
  }
}

/** Owned by the account that runs containers, closed to everybody else. */
export async function makeAccountDirectory(directory: string, account: Account): Promise<void> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    if (account.handedOver) await chown(directory, account.uid, account.gid);
    await chmod(directory, 0o700);
  } catch (error) {
    throw systemError(error, `make ${directory}`);
  }
}

/** Throws `failed_precondition` when the account cannot get there. */
export async function checkReach(host: Host, directory: string): Promise<void> {
  if (!host.account.handedOver) return;
  const { exitCode } = await run(host, { command: ['/bin/sh', '-c', 'cd -- "$1"', 'sh', directory] });
  if (exitCode === 0) return;
  throw new CaissonError(
    'failed_precondition',
    `${host.account.name}, who runs the containers, cannot reach ${directory}`,
    {
      remedy: 'set terminal.singularity_scratch_dir and singularity_cache_dir to directories that others may enter',
    },
  );
}

export async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return false;
    throw systemError(error, `look at ${path}`);
  }
}
