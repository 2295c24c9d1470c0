/** The smallest package of each kind that npm, pip, apt and git take, as files that a web server has. Each says `tiny` when it is used. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';

/** Content by path, from the root of a host. */
export type Site = Readonly<Record<string, Buffer | string>>;

type Files = Readonly<Record<string, string>>;

const sha = (data: Buffer, kind: 'sha256' | 'sha512', as: 'hex' | 'base64'): string =>
  createHash(kind).update(data).digest(as);

function inDirectory<T>(files: Files, work: (directory: string) => T): T {
  const directory = mkdtempSync(join(tmpdir(), 'caisson-tiny-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(directory, path)), { recursive: true });
      writeFileSync(join(directory, path), text);
    }
    return work(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A file that a program makes of others, in their directory. */
function made(files: Files, output: string, [command, ...args]: readonly [string, ...string[]]): Buffer {
  return inDirectory(files, (cwd) => {
    execFileSync(command, args, { cwd, stdio: 'ignore' });
    return readFileSync(join(cwd, output));
  });
}

/** A registry of npm at `origin`. */
export function npmSite(origin: string): Site {
  const manifest = { name: 'tiny', version: '1.0.0', main: 'index.js' };
  const files = { 'package/package.json': JSON.stringify(manifest), 'package/index.js': "console.log('tiny')" };
  const archive = made(files, 'tiny.tgz', ['tar', '-czf', 'tiny.tgz', 'package']);
  const tarball = '/tiny/-/tiny-1.0.0.tgz';
  const dist = { tarball: `${origin}${tarball}`, integrity: `sha512-${sha(archive, 'sha512', 'base64')}` };
  const versions = { '1.0.0': { ...manifest, dist } };
  return { '/tiny': JSON.stringify({ name: 'tiny', 'dist-tags': { latest: '1.0.0' }, versions }), [tarball]: archive };
}

/** An index, and the host of the files that it names. */
export function pythonSites(filesOrigin: string): { readonly index: Site; readonly files: Site } {
  const name = 'tiny-1.0-py3-none-any.whl';
  const wheel = 'Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n';
  const parts = {
    'tiny.py': "print('tiny')\n",
    'tiny-1.0.dist-info/METADATA': 'Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n',
    'tiny-1.0.dist-info/WHEEL': wheel,
    'tiny-1.0.dist-info/RECORD': 'tiny.py,,\ntiny-1.0.dist-info/METADATA,,\ntiny-1.0.dist-info/WHEEL,,\n',
  };
  const data = made(parts, name, ['python3', '-m', 'zipfile', '-c', name, 'tiny.py', 'tiny-1.0.dist-info']);
  const link = `<a href="${filesOrigin}/${name}#sha256=${sha(data, 'sha256', 'hex')}">${name}</a>`;
  return {
    index: { '/simple/tiny/': `<!DOCTYPE html><html><body>${link}</body></html>` },
    files: { [`/${name}`]: data },
  };
}

/** A flat repository of apt below /tiny. */
export function debianSite(): Site {
  const control =
    'Package: tiny\nVersion: 1.0\nArchitecture: all\nMaintainer: Test <test@tiny.example>\nDescription: tiny\n';
  const files = { 'tree/DEBIAN/control': control, 'tree/usr/share/tiny': 'tiny\n' };
  const deb = made(files, 'tiny.deb', ['dpkg-deb', '--build', '--root-owner-group', 'tree', 'tiny.deb']);
  const place = `Filename: ./tiny_1.0_all.deb\nSize: ${deb.length}\nSHA256: ${sha(deb, 'sha256', 'hex')}\n`;
  return { '/tiny/Packages': `${control}${place}\n`, '/tiny/tiny_1.0_all.deb': deb };
}

/** A repository below `path`, for git's protocol over plain files. */
export function gitSite(path: string): Site {
  return inDirectory({ 'work/tiny.txt': 'tiny\n' }, (cwd) => {
    const env = { PATH: process.env['PATH'], HOME: cwd, GIT_CONFIG_NOSYSTEM: '1' };
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd, env, stdio: 'ignore' });
    git('-C', 'work', 'init', '--initial-branch=main');
    git('-C', 'work', 'add', '.');
    git('-C', 'work', '-c', 'user.name=Test', '-c', 'user.email=test@tiny.example', 'commit', '-m', 'tiny');
    git('clone', '--bare', 'work', 'bare');
    git('-C', 'bare', 'update-server-info');
    return filesBelow(join(cwd, 'bare'), path);
  });
}

function filesBelow(directory: string, prefix: string): Site {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name));
  const files = paths.filter((path) => statSync(path).isFile());
  return Object.fromEntries(files.map((path) => [`${prefix}/${relative(directory, path)}`, readFileSync(path)]));
}
