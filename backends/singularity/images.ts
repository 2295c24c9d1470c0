/**
 * Images, each unpacked once. Without privileges, no kernel mounts a file of Apptainer's format, so containers start from
 * directories:
 *
 *   CACHE/sif/KEY.sif      built from a registry or an archive; KEY is the hash of the reference, or of the archive
 *   CACHE/root/DIGEST/     such a file, or one that was given, unpacked; DIGEST is its sha256, and what results tell
 *
 * All of it belongs to the account that runs containers. No other user writes there, and no sandbox sees it.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chown, copyFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { CreateOptions, OpenOptions } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { throwIfAborted } from '../shared/abort.ts';
import { systemError, systemCode } from '../shared/system-fault.ts';
import { type ImageSource, parseImage } from './image-source.ts';
import { withLock } from './lock.ts';
import { checkReach, isThere, makeOurs, makeAccountDirectory, plainPath } from './places.ts';
import { type Host, lastWords, run } from './program.ts';
import { given } from '../../src/lib/given.ts';

export interface Image {
  readonly root: string;
  readonly digest: string | null;
}

type Options = Pick<CreateOptions, 'signal' | 'onProgress'>;

/** How a registry is reached. */
const proxyVariables = ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'];

export class Images {
  readonly #host: Host;
  readonly #cache: string;
  readonly #env: OpenOptions['env'];

  constructor(host: Host, cache: string, env: OpenOptions['env']) {
    this.#host = host;
    this.#cache = cache;
    this.#env = env;
  }

  /** Throws `not_found` for a file that is not there, `unavailable` when a registry does not give the image. */
  async find(reference: string | null, options: Options): Promise<Image> {
    const source = parseImage(reference);
    if (source.kind === 'registry') return await this.#unpacked(await this.#built(source, options), options);
    const path = await existing(source.path);
    if (source.kind === 'archive')
      return await this.#unpacked(await this.#built({ ...source, path }, options), options);
    if ((await stat(path)).isDirectory()) return await this.#directory(path);
    return await this.#unpacked(path, options);
  }

  /** Used as it is: only its content could name it, and that may change. */
  async #directory(path: string): Promise<Image> {
    await checkReach(this.#host, path);
    if (await isThere(join(path, '.singularity.d/actions'))) return { root: path, digest: null };
    throw new CaissonError('failed_precondition', `${path} was not made by Apptainer`, {
      remedy: `apptainer build --sandbox NEW_DIRECTORY ${path}`,
    });
  }

  /** Gives the file in Apptainer's format. */
  async #built(source: Exclude<ImageSource, { kind: 'path' }>, options: Options): Promise<string> {
    const key = source.kind === 'registry' ? digestOf(source.uri) : await digestOfFile(source.path, options.signal);
    const file = join(await this.#prepare('sif'), `${key}.sif`);
    await this.#once(file, options, async (making) => {
      const name = source.kind === 'registry' ? source.uri : source.path;
      options.onProgress?.({ what: `building an image from ${name}`, done: null, total: null });
      if (source.kind === 'registry') await this.#build([making, source.uri], options);
      else await this.#lent(source.path, (lent) => this.#build([making, `docker-archive:${lent}`], options));
    });
    return file;
  }

  async #unpacked(file: string, options: Options): Promise<Image> {
    const hash = await digestOfFile(file, options.signal);
    const root = join(await this.#prepare('root'), hash);
    await this.#once(root, options, async (making) => {
      options.onProgress?.({ what: `unpacking ${file}`, done: null, total: null });
      await this.#lent(file, (lent) => this.#build(['--sandbox', '--fix-perms', making, lent], options));
    });
    return { root, digest: `sha256:${hash}` };
  }

  /** Made aside and renamed: what is there is whole. */
  async #once(target: string, { signal }: Options, make: (making: string) => Promise<void>): Promise<void> {
    if (await isThere(target)) return;
    await withLock(
      `${target}.lock`,
      async () => {
        if (await isThere(target)) return;
        const making = `${target}.making`;
        await rm(making, { recursive: true, force: true });
        try {
          await make(making);
          await rename(making, target);
        } finally {
          await rm(making, { recursive: true, force: true });
        }
      },
      { signal },
    );
  }

  /** The account may not be able to read a file of root: it gets a copy. */
  async #lent(file: string, use: (lent: string) => Promise<void>): Promise<void> {
    const { handedOver, uid, gid } = this.#host.account;
    if (!handedOver || file.startsWith(`${this.#cache}/`)) {
      await use(file);
      return;
    }
    const lent = join(await this.#prepare('tmp'), `${digestOf(file)}.${process.pid}`);
    try {
      await copyFile(file, lent);
      await chown(lent, uid, gid);
      await use(lent);
    } finally {
      await rm(lent, { force: true });
    }
  }

  async #build(args: readonly string[], { signal }: Options): Promise<void> {
    throwIfAborted(given({ signal }));
    const scratch = await this.#prepare('tmp');
    const proxies = proxyVariables.flatMap((name) => (this.#env[name] ? [[name, this.#env[name]] as const] : []));
    const said = await run(this.#host, {
      command: [this.#host.program, '-q', 'build', ...args],
      env: {
        ...Object.fromEntries(proxies),
        // An ordinary user keeps credentials of registries in their own home; it stays, so that they are found.
        HOME: this.#host.account.handedOver ? scratch : (this.#env['HOME'] ?? scratch),
        APPTAINER_CACHEDIR: await this.#prepare('blobs'),
        APPTAINER_TMPDIR: scratch,
        SINGULARITY_CACHEDIR: await this.#prepare('blobs'),
        SINGULARITY_TMPDIR: scratch,
      },
      signal,
    });
    if (said.exitCode === 0) return;
    throw new CaissonError('unavailable', `the image could not be built: ${lastWords(said)}`, {
      details: { exitCode: said.exitCode },
      remedy: 'see whether `apptainer build` makes something of it, and whether the registry lets this account in',
    });
  }

  async #prepare(name: string): Promise<string> {
    await makeOurs(this.#cache);
    const directory = join(this.#cache, name);
    if (!(await isThere(directory))) await makeAccountDirectory(directory, this.#host.account);
    return directory;
  }
}

async function existing(path: string): Promise<string> {
  try {
    return plainPath(await realpath(path), 'the path of the image');
  } catch (error) {
    if (systemCode(error) !== 'ENOENT' && systemCode(error) !== 'ENOTDIR') throw systemError(error, `look at ${path}`);
    throw new CaissonError('not_found', `there is no image at ${path}`, { cause: error, details: { image: path } });
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function digestOfFile(path: string, signal: AbortSignal | undefined): Promise<string> {
  const hash = createHash('sha256');
  try {
    const stream: AsyncIterable<Buffer> = createReadStream(path, { signal, highWaterMark: 1024 * 1024 });
    for await (const chunk of stream) hash.update(chunk);
  } catch (error) {
    throwIfAborted(given({ signal }));
    throw systemError(error, `read ${path}`);
  }
  return hash.digest('hex');
}
