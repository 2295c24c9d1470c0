/** The package as `npm pack` makes it, once for a whole run of tests: a second build at the same time would remove the first one's files. */
import { execFile } from 'node:child_process';
import { mkdir, readdir, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
export const checkout = fileURLToPath(new URL('../..', import.meta.url));
const there = async (path: string): Promise<boolean> => await stat(path).then(Boolean, () => false);

/** Installs it into an empty project, without a network. */
export async function installPackage(project: string): Promise<void> {
  await writeFile(join(project, 'package.json'), '{"name":"project","private":true,"type":"module"}');
  const tarball = await packedPackage();
  const env = { PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`, HOME: project };
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project, env });
}

/** Unpacks it into a directory, which costs less than an installation: for tests that run its program alone. Returns the program. */
export async function unpackPackage(directory: string): Promise<string> {
  await run('tar', ['-xzf', await packedPackage(), '-C', directory, '--strip-components=1']);
  return join(directory, 'bin/caisson');
}

/** The path of the archive. */
export async function packedPackage(): Promise<string> {
  const folder = join(process.env['CAISSON_TEST_SCRATCH'] ?? '', 'package');
  const tarball = join(folder, 'caisson.tgz');
  // Only one of several test files makes the directory.
  const isFirst = await mkdir(folder).then(
    () => true,
    () => false,
  );
  if (isFirst) await pack(folder, tarball).catch(() => writeFile(join(folder, 'failed'), ''));
  while (!(await there(tarball))) {
    if (await there(join(folder, 'failed'))) throw new Error('npm pack failed: run it by hand to see why');
    await setTimeout(200);
  }
  return tarball;
}

async function pack(folder: string, tarball: string): Promise<void> {
  // A whole run has built it already.
  const isBuilt = process.env['CAISSON_TEST_PACKED'] === '1';
  await run('npm', ['pack', ...(isBuilt ? ['--ignore-scripts'] : []), '--pack-destination', folder], { cwd: checkout });
  const [made = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  await rename(join(folder, made), tarball);
}
