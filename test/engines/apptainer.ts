/**
 * A real Apptainer for one test file. Debian has it in `sid` only, built for the libc there: `npm run engines` unpacks
 * that libc beside it, and the two programs are made to use it. Nothing of it is installed on the system.
 *
 * It lies below /tmp while the tests run: the user who runs containers on behalf of root must be able to reach it.
 */
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { cp, rename } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeDockerArchive } from './docker-archive.ts';
import { archiveOf, testImages } from './images.ts';
import { debianMirror } from './mirror.ts';
import { engineCache, enginesRequired } from './places.ts';
import { findCommand, systemPath } from './privileges.ts';

const run = promisify(execFile);

/** Counted up when the recipe changes. */
const recipe = 1;
const debs = ['apptainer', 'libc6', 'libseccomp2', 'libsqlite3-0'] as const;
const libraries = 'usr/lib/x86_64-linux-gnu';
/** File of the package debian-archive-keyring, which every Debian has. */
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const programs = ['usr/bin/apptainer', `${libraries}/apptainer/bin/starter`] as const;

export interface Apptainer {
  readonly directory: string;
  readonly program: string;
  /** The smallest image, as `docker save` writes one. */
  readonly busybox: string;
  /** The tar of its root file system. */
  readonly layer: string;
  readonly scratch: string;
  readonly settings: { readonly scratch_dir: string; readonly cache_dir: string };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly remove: () => void;
}

export function apptainerCache(): string {
  return join(engineCache(), `apptainer-${recipe}`);
}

function archiveNamed(reference: string): string {
  const image = testImages.find((each) => each.reference === reference);
  if (image === undefined) throw new Error(`there is no test image ${reference}`);
  return archiveOf(image);
}

/** `null`: it should work. */
export function whyNoApptainer(): string | null {
  if (process.arch !== 'x64') return 'the test Apptainer is for x86_64 only';
  const missing = ['patchelf', 'mksquashfs', 'mkfs.ext4'].filter((name) => findCommand(name) === null);
  if (missing.length > 0) return `${missing.join(', ')} not found: run \`npm run engines\``;
  const there = [apptainerCache(), archiveNamed('caisson-test/busybox:latest')].every((path) => existsSync(path));
  return there ? null : 'no test Apptainer: run `npm run engines`';
}

/** For tests that only skip where it is absent, and fail where engines are required. */
export function hasApptainer(): boolean {
  const why = whyNoApptainer();
  if (why !== null && enginesRequired()) throw new Error(why);
  return why === null;
}

/** Fetches and unpacks, with package lists of its own. Made aside and renamed, so that a half-made one is never used. */
export async function fetchApptainer(): Promise<void> {
  const mirror = await debianMirror();
  if (mirror === null) throw new Error('this machine gets no packages of Debian 12, and Apptainer comes from there');
  const making = `${apptainerCache()}.${process.pid}`;
  rmSync(making, { recursive: true, force: true });
  try {
    const apt = aptBeside(join(making, 'apt'), mirror);
    await apt(['update']);
    await apt(['download', ...debs]);
    for (const deb of readdirSync(join(making, 'apt')).filter((name) => name.endsWith('.deb')))
      await run('dpkg-deb', ['-x', join(making, 'apt', deb), join(making, 'root')]);
    renameSync(join(making, 'root'), apptainerCache());
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** apt-get on its own lists and sources, so that the system never takes a package of sid. */
function aptBeside(directory: string, mirror: string): (args: readonly string[]) => Promise<unknown> {
  for (const each of ['lists/partial', 'archives/partial']) mkdirSync(join(directory, each), { recursive: true });
  writeFileSync(join(directory, 'sources.list'), `deb [signed-by=${keyring}] ${mirror} sid main\n`);
  const options = [
    `Dir::Etc::SourceList=${directory}/sources.list`,
    'Dir::Etc::SourceParts=-',
    `Dir::State::Lists=${directory}/lists`,
    `Dir::Cache::Archives=${directory}/archives`,
    'Dir::Cache::pkgcache=',
    'Dir::Cache::srcpkgcache=',
    'APT::Sandbox::User=',
  ].flatMap((option) => ['-o', option]);
  return (args) => run('apt-get', ['-q', ...options, ...args], { cwd: directory, maxBuffer: 2 ** 26 });
}

/** Fresh, with an image, and with places of its own for all that the backend keeps. */
export async function startApptainer(): Promise<Apptainer> {
  const directory = mkdtempSync(join(tmpdir(), 'caisson-apptainer-'));
  chmodSync(directory, 0o755);
  const program = await install(join(directory, 'apptainer'));
  const scratch = join(directory, 'scratch');
  mkdirSync(scratch);
  const busybox = join(directory, 'busybox.tar');
  const layer = archiveNamed('caisson-test/busybox:latest');
  await makeDockerArchive(layer, busybox);
  return {
    directory,
    program,
    busybox: `docker-archive:${busybox}`,
    layer,
    scratch,
    settings: { scratch_dir: scratch, cache_dir: join(directory, 'cache') },
    env: { ...process.env, PATH: `${join(program, '..')}:${systemPath}`, HOME: directory },
    remove: () => rmSync(directory, { recursive: true, force: true }),
  };
}

/** For good, and for this process: vitest runs each file in one of its own. An account other than root stays as it is. */
export function becomeNobody({ directory }: Apptainer): void {
  if (process.getuid?.() !== 0) return;
  const [uid, gid] = ['-u', '-g'].map((which) => Number(execFileSync('id', [which, 'nobody'])));
  if (uid === undefined || gid === undefined) throw new Error('there is no account nobody');
  execFileSync('chown', ['-R', `${uid}:${gid}`, directory]);
  process.setgroups?.([gid]);
  process.setgid?.(gid);
  process.setuid?.(uid);
}

/** It finds its own files from where it lies, by its own idea of a prefix for each of the two programs. */
async function install(directory: string): Promise<string> {
  await cp(apptainerCache(), directory, { recursive: true, verbatimSymlinks: true });
  for (const program of programs) await useLibraries(directory, join(directory, program));
  await rename(join(directory, 'etc'), join(directory, 'usr/etc'));
  for (const prefix of ['usr', 'usr/lib'])
    mkdirSync(join(directory, prefix, 'var/lib/apptainer/mnt/session'), { recursive: true });
  await cp(join(directory, 'usr/etc'), join(directory, 'usr/lib/etc'), { recursive: true });
  return join(directory, programs[0]);
}

async function useLibraries(directory: string, program: string): Promise<void> {
  const own = join(directory, libraries);
  const loader = join(own, 'ld-linux-x86-64.so.2');
  await run('patchelf', ['--set-interpreter', loader, '--force-rpath', '--set-rpath', own, program]);
}
