/**
 * The place where a sandbox writes. It lies in its directory on scratch and is bounded in size: for a persistent sandbox a
 * disk image kept in the task's own directory, for another one memory. Only root may mount; without, both are plain directories.
 *
 *   overlay/upper, overlay/work      what differs from the image (overlayfs); the sandbox sees neither as such
 *   overlay/open/{workspace,root,tmp}  bound to the places of these names: so they exist in every image, and can be
 *                                      written also where all else is read-only
 */
import { chmod, chown, mkdir, open, rename, rm, stat, statfs, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CaissonError } from '../../src/errors.ts';
import { systemError, systemCode } from '../shared/system-fault.ts';
import { makeWay } from '../shared/way.ts';
import type { Account } from './account.ts';
import { isThere } from './places.ts';
import { type Host, lastWords, run } from './program.ts';
import type { Registration } from './registration.ts';

/** Bound read-write; each is a directory in `open`. */
export const openPlaces = ['workspace', 'root', 'tmp'] as const;

const imageName = 'overlay.img';
const directoryName = 'overlay';
const unmountPausesMs = [5, 20, 50, 100, 200, 400, 800];

/** The directory with `upper`, `work` and `open` in it. */
export function overlayOf({ directory, plan }: Registration, { handedOver }: Account): string {
  return !handedOver && plan.keep !== null ? join(plan.keep, directoryName) : join(directory, directoryName);
}

export async function prepareOverlay(host: Host, registration: Registration): Promise<void> {
  const overlay = overlayOf(registration, host.account);
  try {
    await mkdir(overlay, { recursive: true, mode: 0o755 });
    if (host.account.handedOver && !(await isMounted(overlay))) {
      await mountOn(host, overlay, registration.plan);
      await handOver(host, overlay);
    }
    await layOut(overlay, host.account);
    if (registration.plan.credentials !== null) await makeWayTo(overlay, registration.plan.credentials.target);
  } catch (error) {
    throw systemError(error, 'prepare the place where the sandbox writes');
  }
}

/** Releases the place of a stopped sandbox. What is kept stays. */
export async function releaseOverlay(host: Host, registration: Registration): Promise<void> {
  const overlay = overlayOf(registration, host.account);
  if (host.account.handedOver) {
    await unmount(host, overlay);
    return;
  }
  // overlayfs leaves it without any permission, so that it could not be removed later.
  try {
    await chmod(join(overlay, 'work/work'), 0o700);
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw systemError(error, 'release the place where the sandbox wrote');
  }
}

/** A sandbox may have closed its directories to us by their mode. */
export async function removeTree(host: Host, directory: string): Promise<void> {
  try {
    if (!host.account.handedOver && (await isThere(directory)))
      await run(host, { command: ['chmod', '-R', 'u+rwX', directory] });
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    throw systemError(error, `remove ${directory}`);
  }
}

async function mountOn(host: Host, overlay: string, { keep, limits }: Registration['plan']): Promise<void> {
  if (keep === null) {
    const sizes = [limits.diskBytes, limits.memoryBytes].filter((bytes) => bytes !== null);
    const size = sizes.length === 0 ? 'size=50%' : tmpfsSize(Math.min(...sizes));
    await asService(host, ['mount', '-t', 'tmpfs', '-o', `${size},mode=0755,nosuid,nodev`, 'caisson', overlay]);
    return;
  }
  const image = join(keep, imageName);
  await makeImage(host, image, limits.diskBytes ?? (await sizeOfDisk(keep)));
  await asService(host, ['mount', '-o', 'loop,nosuid,nodev', image, overlay]);
  await chmod(overlay, 0o755);
}

/** Files of a stopped sandbox whose account was another one. */
async function handOver(host: Host, overlay: string): Promise<void> {
  const { uid, gid } = host.account;
  const upper = join(overlay, 'upper');
  if (!(await isThere(upper))) return;
  const before = await stat(upper);
  if (before.uid === uid) return;
  const from = `--from=${before.uid}`;
  await asService(host, ['chown', '--recursive', '--no-dereference', from, `${uid}:${gid}`, overlay]);
}

/** Files without content take memory too: one for 8 KiB, as disks have it. */
function tmpfsSize(bytes: number): string {
  return `size=${bytes},nr_inodes=${Math.max(4096, Math.floor(bytes / 8192))}`;
}

/** Sparse: it takes what is written. Made aside and renamed, so that a half-made one is never used. */
async function makeImage(host: Host, image: string, bytes: number): Promise<void> {
  if (await isThere(image)) {
    await resizeImage(host, image, bytes);
    return;
  }
  const making = `${image}.making`;
  await rm(making, { force: true });
  await (await open(making, 'wx', 0o600)).close();
  await truncate(making, bytes);
  // Nothing is set aside for root, and a file may be small: one inode for 16 KiB.
  await asService(host, [
    'mkfs.ext4',
    '-q',
    '-F',
    '-m',
    '0',
    '-i',
    '16384',
    '-E',
    'nodiscard,lazy_itable_init=1',
    making,
  ]);
  await rename(making, image);
}

/** To the size of the spec: a smaller one than what is in it is an error. */
async function resizeImage(host: Host, image: string, bytes: number): Promise<void> {
  const { size } = await stat(image);
  if (size === bytes) return;
  if (size < bytes) await truncate(image, bytes);
  const checked = await run(asRoot(host), { command: ['e2fsck', '-f', '-p', image] });
  // e2fsck(8): 1 is "errors corrected".
  const resized = (checked.exitCode ?? 99) <= 1 && (await resizeTo(host, image, bytes));
  if (!resized)
    throw new CaissonError('failed_precondition', `the files of the task do not fit into ${bytes} bytes`, {
      details: { image, bytes, said: lastWords(checked) },
      remedy: 'allow more disk, or remove files first',
    });
  if (size > bytes) await truncate(image, bytes);
}

async function resizeTo(host: Host, image: string, bytes: number): Promise<boolean> {
  const { exitCode } = await run(asRoot(host), { command: ['resize2fs', image, `${Math.floor(bytes / 1024)}K`] });
  return exitCode === 0;
}

/** Once, before any sandbox could put something of its own there. */
async function layOut(overlay: string, account: Account): Promise<void> {
  for (const name of ['upper', 'work']) await makeFor(account, join(overlay, name), 0o755);
  const ready = join(overlay, 'open');
  if (await isThere(ready)) return;
  const making = `${ready}.making`;
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { mode: 0o755 });
  for (const name of openPlaces) await makeFor(account, join(making, name), name === 'tmp' ? 0o1777 : 0o755);
  await rename(making, ready);
}

async function makeWayTo(overlay: string, target: string): Promise<void> {
  const [first = '', ...rest] = target.slice(1).split('/');
  const isOpen = openPlaces.some((name) => name === first) && rest.length > 0;
  await (isOpen
    ? makeWay(join(overlay, 'open', first), rest.join('/'))
    : makeWay(join(overlay, 'upper'), target.slice(1)));
}

/** The path leads through directories that no sandbox can write. */
async function makeFor({ handedOver, uid, gid }: Account, directory: string, mode: number): Promise<void> {
  if (await isThere(directory)) return;
  await mkdir(directory);
  await chmod(directory, mode);
  if (handedOver) await chown(directory, uid, gid);
}

async function unmount(host: Host, overlay: string): Promise<void> {
  for (const pauseMs of [...unmountPausesMs, null]) {
    if (!(await isMounted(overlay))) return;
    const { exitCode } = await run(asRoot(host), { command: ['umount', overlay] });
    if (exitCode === 0) return;
    if (pauseMs !== null) await sleep(pauseMs);
  }
  throw new CaissonError('unavailable', `cannot unmount ${overlay}`, {
    remedy: 'see by `fuser -vm` who uses it, then remove the sandbox again',
  });
}

async function isMounted(overlay: string): Promise<boolean> {
  try {
    const [own, above] = await Promise.all([stat(overlay), stat(join(overlay, '..'))]);
    return own.dev !== above.dev;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return false;
    throw systemError(error, `look at ${overlay}`);
  }
}

async function sizeOfDisk(directory: string): Promise<number> {
  const { blocks, bsize } = await statfs(directory);
  return blocks * bsize;
}

async function asService(host: Host, command: readonly [string, ...string[]]): Promise<void> {
  const said = await run(asRoot(host), { command });
  if (said.exitCode === 0) return;
  throw new CaissonError('failed_precondition', `${command[0]} failed: ${lastWords(said)}`, {
    details: { program: command[0], exitCode: said.exitCode },
    remedy: 'root without the right to mount cannot keep the files of sandboxes: run Caisson as an ordinary user',
  });
}

function asRoot(host: Host): Host {
  return { ...host, account: { ...host.account, handedOver: false } };
}
