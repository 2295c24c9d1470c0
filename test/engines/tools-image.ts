/**
 * Debian with programs that fetch from networks: apt, curl, git, npm, pip. For tests of what they do behind the egress proxy.
 * `npm run engines` makes its archive; an engine imports it when the first test asks, since only a few do.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { importImages, makeDebian, type TestImage } from './images.ts';
import { findCommand } from './privileges.ts';

const run = promisify(execFile);

export const toolsImage: TestImage = {
  reference: 'caisson-test/tools:latest',
  version: 2,
  about: 'Debian 12, curl, git, pip, Node and npm, and everyday tools',
  make,
};

export async function importToolsImage(host: string): Promise<void> {
  await importImages(host, [toolsImage]);
}

/** What an image of a person has: lists of processes, a tracer, compression. */
const everyday = [
  ...['procps', 'psmisc', 'strace', 'bzip2', 'xz-utils', 'zip', 'unzip', 'bsdextrautils'],
  ...['jq', 'bc', 'file', 'patch'],
] as const;

async function make(archive: string): Promise<void> {
  const npm = await npmPackage();
  await makeDebian(archive, ['ca-certificates', 'curl', 'git', 'python3-pip', ...everyday]);
  const stage = await mkdtemp(join(tmpdir(), 'caisson-tools-image-'));
  try {
    const [programs, modules] = [join(stage, 'usr/local/bin'), join(stage, 'usr/local/lib/node_modules')];
    await mkdir(programs, { recursive: true });
    await copyFile(process.execPath, join(programs, 'node'));
    await cp(npm, join(modules, 'npm'), { recursive: true });
    await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(programs, 'npm'));
    // A directory that both have may be in it once.
    const added = ['node', 'npm'].map((name) => `./usr/local/bin/${name}`);
    const how = ['--numeric-owner', '--owner=0', '--group=0', '-C', stage, '--append', '-f', archive];
    await run('tar', [...how, ...added, './usr/local/lib/node_modules']);
  } finally {
    await rm(stage, { recursive: true, force: true });
  }
}

/** The directory of the npm that this machine has: `npm` is a link into it. */
async function npmPackage(): Promise<string> {
  const program = findCommand('npm');
  const directory = program === null ? null : dirname(dirname(await realpath(program)));
  if (directory !== null && existsSync(join(directory, 'bin/npm-cli.js'))) return directory;
  throw new Error('the npm of this machine is not found: install Node with its npm');
}
