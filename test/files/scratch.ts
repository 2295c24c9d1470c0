import {
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  mkdirSync,
  lstatSync,
  readFileSync,
  readlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A directory that goes with the test. */
export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'caisson-files-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  return directory;
}

const applets = ['tar', 'sh', 'cp', 'mv', 'rm', 'mkdir', 'wc', 'readlink', 'cat', 'find', 'head', 'stat', 'cksum'];

/** PATH of a place that has BusyBox alone. */
export function busyboxPath(directory: string): string {
  const bin = join(directory, 'busybox');
  if (existsSync(bin)) return bin;
  mkdirSync(bin);
  for (const applet of applets) symlinkSync('/bin/busybox', join(bin, applet));
  return bin;
}

/** Every path below a directory with what it is: content, mode of files, target of links. */
export function snapshot(root: string): Map<string, string> {
  const found = new Map<string, string>();
  const todo = [''];
  for (let path = todo.pop(); path !== undefined; path = todo.pop()) {
    for (const name of readdirSync(toBytes(root, path), { encoding: 'latin1' })) {
      const below = path === '' ? name : `${path}/${name}`;
      const stats = lstatSync(toBytes(root, below));
      if (stats.isDirectory()) todo.push(below);
      found.set(below, describe(stats, toBytes(root, below)));
    }
  }
  return found;
}

const toBytes = (root: string, path: string): Buffer =>
  Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);

function describe(stats: ReturnType<typeof lstatSync> & object, path: Buffer): string {
  if (stats.isDirectory()) return 'directory';
  if (stats.isSymbolicLink()) return `-> ${readlinkSync(path, { encoding: 'latin1' })}`;
  if (stats.isFile())
    return `${(Number(stats.mode) & 0o111) === 0 ? 'file' : 'program'} ${readFileSync(path).toString('latin1')}`;
  return 'special';
}
