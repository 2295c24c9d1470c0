/**
 * Node.js and npm of the versions that a recipe names, since Debian's release has older ones: fetched by the host's npm,
 * which checks what it fetches, and laid out as the archive of nodejs.org is, below `/usr/local`.
 */
import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { CaissonError } from '../../src/errors.ts';
import { run, succeeds } from './run.ts';

/** Exact versions. */
export interface NodeVersions {
  readonly node: string;
  readonly npm: string;
}

export interface FetchOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
}

const programs = { npm: 'npm-cli.js', npx: 'npx-cli.js' } as const;

/** Puts both into `files`, a tree that becomes the image's root. `work` is of this build alone. */
export async function addNode(versions: NodeVersions, work: string, options: FetchOptions): Promise<void> {
  if (!(await succeeds(['npm', '--version'], options.env))) throw npmMissing();
  const fetched = await fetchPackages(versions, join(work, 'npm'), options);
  const target = join(work, 'files/usr/local');
  for (const directory of ['bin', 'include', 'lib/node_modules'])
    await mkdir(join(target, directory), { recursive: true });
  await rename(join(fetched, nodePackage(), 'bin/node'), join(target, 'bin/node'));
  await rename(join(fetched, nodePackage(), 'include/node'), join(target, 'include/node'));
  for (const unused of ['docs', 'man']) await rm(join(fetched, 'npm', unused), { recursive: true, force: true });
  await rename(join(fetched, 'npm'), join(target, 'lib/node_modules/npm'));
  for (const [name, file] of Object.entries(programs))
    await symlink(`../lib/node_modules/npm/bin/${file}`, join(target, 'bin', name));
  await rm(join(work, 'npm'), { recursive: true });
}

/** Package that holds the program for this kind of processor. */
const nodePackage = (): string => `node-linux-${process.arch}`;

async function fetchPackages({ node, npm }: NodeVersions, prefix: string, options: FetchOptions): Promise<string> {
  await mkdir(prefix);
  // Scripts of packages would run on this host.
  const flags = ['--ignore-scripts', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', '--loglevel=error'];
  await run(['npm', 'install', '--prefix', prefix, ...flags, `${nodePackage()}@${node}`, `npm@${npm}`], {
    ...options,
    cwd: prefix,
    remedy: 'see whether this host reaches its npm registry: npm ping',
  });
  return join(prefix, 'node_modules');
}

function npmMissing(): CaissonError {
  return new CaissonError('failed_precondition', 'an image with Node.js needs npm on this host', {
    details: { missing: ['npm'] },
    remedy: 'install npm, or build another image: caisson image build base',
  });
}
