/** What this host is and has. Read once. */
import { access, chmod, constants, readFile } from 'node:fs/promises';
import { hostname, release } from 'node:os';
import { join } from 'node:path';
import type { OpenOptions } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { replaceOwnFile } from '../../src/lib/replace-file.ts';
import type { Pipes } from '../shared/pipes.ts';
import { type Account, accountsWith, findAccount, makeAccount } from './account.ts';
import { parseVersion, tooOld, type Version } from './floors.ts';
import { findHierarchy, type Hierarchy } from './hierarchy.ts';
import { accountsFile, cacheOf, ownerOf, runRoot, scratchOf, textOf } from './places.ts';
import { findProgram, type Host, lastWords, pathOf, run } from './program.ts';

export interface Facts {
  readonly host: Host;
  readonly version: Version;
  /** A text is the reason why there are no limits. */
  readonly hierarchy: Hierarchy | string;
  readonly kernel: string;
  readonly hostName: string;
  readonly scratch: string;
  readonly cache: string;
  /** The program by which a listener gets into a network namespace. */
  readonly hasNsenter: boolean;
  /** Programs that are needed and not there. */
  readonly missing: readonly string[];
  /** Namespaces that an account without rights may make (user_namespaces(7)); 0: not allowed. */
  readonly userNamespaces: number | null;
}

/** What gives a program another accounts file. */
const wantedToReserve = ['unshare', 'mount', 'setpriv'] as const;
const wantedPrograms = ['flock', 'mksquashfs', 'unsquashfs', 'setsid', 'chmod'] as const;
/** Programs that root needs beyond these: it keeps the files of sandboxes in images of a fixed size. */
const wantedOfRoot = ['mount', 'umount', 'mkfs.ext4', 'e2fsck', 'resize2fs'] as const;

/** Throws `unavailable` without the program, `failed_precondition` when it or the account will not do. */
export async function askFacts(options: OpenOptions, pipesFor: (account: Account) => Pipes): Promise<Facts> {
  const path = pathOf(options.env);
  const program = await findProgram(path);
  const account = await findAccount(textOf(options.settings, 'user'), ownerOf(options));
  const scratch = scratchOf(options);
  const bare: Host = { program, account, pipes: pipesFor(account), path: `${path}:/usr/sbin:/sbin`, accounts: null };
  const host = account.reserved ? await reserved(bare, scratch) : bare;
  const wanted = [...wantedPrograms, ...(account.handedOver ? wantedOfRoot : [])];
  return {
    host,
    version: await readVersion(host),
    hierarchy: await findHierarchy(account.handedOver),
    kernel: release(),
    hostName: hostname(),
    scratch,
    cache: cacheOf(options, account),
    missing: await missingOf(wanted, host.path),
    hasNsenter: (await missingOf(['nsenter'], path)).length === 0,
    userNamespaces: await userNamespaces(),
  };
}

/** Throws `failed_precondition` where no program can be given another accounts file. */
async function reserved(host: Host, scratch: string): Promise<Host> {
  const { account } = host;
  const missing = await missingOf(wantedToReserve, host.path);
  const accounts = accountsFile(await runRoot(scratch), account);
  if (accounts !== null) await writeFor(accounts, await accountsWith(account));
  const known = { ...host, accounts };
  const said = missing.length > 0 ? null : await run(known, { command: ['id', '-un'] });
  if (said?.text === account.name) return known;
  const why = said === null ? `${missing.join(', ')} not found` : lastWords(said);
  throw new CaissonError('failed_precondition', `this host gives containers no account of their own: ${why}`, {
    remedy: makeAccount,
  });
}

/** Read by the account; processes that have the file before see it as it was. */
async function writeFor(file: string, text: string): Promise<void> {
  if ((await readFile(file, 'utf8').catch(() => null)) === text) return;
  await replaceOwnFile(file, text);
  await chmod(file, 0o644);
}

async function readVersion(host: Host): Promise<Version> {
  const said = await run(host, { command: [host.program, '--version'] });
  const version = parseVersion(said.text);
  if (version !== null && tooOld(version) === null) return version;
  const [which, remedy] =
    version === null
      ? [`tells no version (${lastWords(said)})`, `see whether ${host.account.name} can run ${host.program}`]
      : [`is ${version.text}, and too old`, `install ${version.flavor} ${tooOld(version) ?? ''} or newer`];
  throw new CaissonError('failed_precondition', `${host.program} ${which}`, {
    details: { program: host.program, exitCode: said.exitCode },
    remedy,
  });
}

async function missingOf(names: readonly string[], path: string): Promise<readonly string[]> {
  const directories = path.split(':').filter((each) => each.startsWith('/'));
  const there = await Promise.all(
    names.map(async (name) => {
      const tries = directories.map((directory) => access(join(directory, name), constants.X_OK));
      return await Promise.any(tries).then(
        () => true,
        () => false,
      );
    }),
  );
  return names.filter((_, index) => there[index] === false);
}

async function userNamespaces(): Promise<number | null> {
  try {
    return Number((await readFile('/proc/sys/user/max_user_namespaces', 'utf8')).trim());
  } catch {
    return null; // An older kernel does not tell.
  }
}
