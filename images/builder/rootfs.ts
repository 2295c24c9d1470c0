/**
 * A root file system from Debian packages by mmdebstrap(1): no registry, no engine, and no root where the host lets
 * users make namespaces.
 *
 * The hooks are fixed words. Everything that differs between recipes is a file in the build's own directory, which is
 * also the working directory, so that no path of the host gets into a hook.
 */
import { createWriteStream } from 'node:fs';
import { access, cp, mkdir, open, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Progress } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { aptHost, keyring } from './apt-host.ts';
import { cached, cacheDirectory, keep, workDirectory } from './cache.ts';
import { packTree } from './pack.ts';
import { buildMode, missingTools, type Mode } from './mode.ts';
import { addNode } from './node.ts';
import { suite, type Recipe, type Variant } from './recipes.ts';
import { run } from './run.ts';
import { readSteps } from './steps.ts';

export interface BuildOptions {
  readonly env: NodeJS.ProcessEnv;
  /** Directory of finished files. Default: `$XDG_CACHE_HOME/caisson/images`. */
  readonly directory?: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: Progress) => void;
}

export interface Rootfs {
  /** Path of an uncompressed tar. It belongs to the cache: read it, leave it. */
  readonly tar: string;
  readonly env: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/** Throws `failed_precondition` when the host lacks something, `unavailable` when a package cannot be had. */
export async function buildRootfs(recipe: Recipe, options: BuildOptions): Promise<Rootfs> {
  const directory = options.directory ?? cacheDirectory(options.env);
  const tar = (await cached(directory, recipe)) ?? (await build(recipe, directory, options));
  // A recipe that is made again has newer packages.
  const made = (await stat(tar)).mtime.toISOString();
  const labels = { 'caisson.recipe': recipe.name, 'caisson.recipe.hash': recipe.hash, 'caisson.recipe.made': made };
  return { tar, env: recipe.env, labels };
}

/** What the host lacks for this method, as one error; `null` when it can be used. */
export async function packagesPrecondition(env: NodeJS.ProcessEnv): Promise<CaissonError | null> {
  const missing = [...(await missingTools(env))];
  if (
    !(await access(keyring).then(
      () => true,
      () => false,
    ))
  )
    missing.push('debian-archive-keyring');
  if (missing.length === 0) return null;
  return new CaissonError('failed_precondition', `building from packages needs ${missing.join(', ')}`, {
    details: { missing },
    remedy: 'on Debian or Ubuntu: apt-get install mmdebstrap debian-archive-keyring',
  });
}

async function build(recipe: Recipe, directory: string, options: BuildOptions): Promise<string> {
  const lacking = await packagesPrecondition(options.env);
  if (lacking !== null) throw lacking;
  const mode = await buildMode(options.env);
  const work = await workDirectory(directory);
  try {
    const host = await prepare(recipe, work, options);
    const finished = await bootstrap(argvOf(recipe, mode, host), work, options);
    return await keep(directory, recipe, finished);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

interface Prepared {
  readonly mirror: boolean;
}

/** Lays out the recipe's files and how the host reaches Debian, under fixed names. */
async function prepare(recipe: Recipe, work: string, options: BuildOptions): Promise<Prepared> {
  const host = await aptHost(options.env);
  await mkdir(join(work, 'files'));
  for (const layer of recipe.layers) await cp(join(layer, 'files'), join(work, 'files'), { recursive: true });
  if (recipe.node !== null) {
    options.onProgress?.({ what: `fetching Node.js ${recipe.node.node}`, done: null, total: null });
    await addNode(recipe.node, work, options);
  }
  await pipeline(packTree(join(work, 'files')), createWriteStream(join(work, 'files.tar')));
  await writeFile(join(work, 'sources.list'), host.sources);
  await writeFile(join(work, 'apt.conf'), host.options);
  return { mirror: host.sources !== '' };
}

/** When the last step inside runs, and its shell: `extract` calls no hook later, and BusyBox has no other name before. */
const finishing: Readonly<Record<Variant, { readonly hook: string; readonly shell: string }>> = {
  minbase: { hook: 'customize', shell: 'sh' },
  extract: { hook: 'extract', shell: '/bin/busybox sh' },
};

function argvOf(recipe: Recipe, mode: Mode, host: Prepared): readonly [string, ...string[]] {
  const setup = [
    ...(host.mirror
      ? ['mv "$1/etc/apt/sources.list" "$1/etc/apt/sources.list.image"', 'upload sources.list /etc/apt/sources.list']
      : []),
    'upload apt.conf /etc/apt/apt.conf.d/99caisson-build',
    'tar-in files.tar /',
  ];
  const { hook: last, shell } = finishing[recipe.variant];
  const finish = [
    'rm "$1/etc/apt/apt.conf.d/99caisson-build"',
    ...(host.mirror ? ['mv "$1/etc/apt/sources.list.image" "$1/etc/apt/sources.list"'] : []),
    `chroot "$1" ${shell} /usr/lib/caisson/finish-image`,
  ];
  const flags = [
    `--mode=${mode.mode}`,
    `--variant=${recipe.variant}`,
    // Without it nothing says how many packages are done.
    '--verbose',
    '--format=tar',
    '--skip=output/dev',
    `--include=${recipe.packages.join(',')}`,
  ];
  const hooks = [...setup.map((hook) => `--setup-hook=${hook}`), ...finish.map((hook) => `--${last}-hook=${hook}`)];
  const command = [...mode.prefix, 'mmdebstrap', ...flags, ...hooks, suite, '-'];
  const [program = 'mmdebstrap', ...args] = command;
  return [program, ...args];
}

async function bootstrap(argv: readonly [string, ...string[]], work: string, options: BuildOptions): Promise<string> {
  const path = join(work, 'rootfs.tar');
  await using file = await open(path, 'wx', 0o600);
  const progressOf = readSteps();
  const tell = (line: string): void => {
    const progress = progressOf(line);
    if (progress !== null) options.onProgress?.(progress);
  };
  await run(argv, {
    env: options.env,
    cwd: work,
    stdoutFd: file.fd,
    onLine: tell,
    remedy: 'see whether this host reaches its Debian mirror (apt-get update) and has a gigabyte of temporary space',
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return path;
}
