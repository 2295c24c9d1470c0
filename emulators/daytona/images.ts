/** Lower layers of sandboxes: unpacked root file systems, or one made of what this host has. */
import { execFile } from 'node:child_process';
import { cp, mkdir, readlink, lstat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Layer {
  readonly directory: string;
  /** /usr is mounted read-only from this host. */
  readonly hostUsr: boolean;
}

export class Layers {
  readonly #directory: string;
  readonly #archives: Readonly<Record<string, string>>;
  readonly #made = new Map<string, Promise<Layer>>();

  /** `archives`: tars of root file systems, by the image they stand for. Every other image is made of this host. */
  constructor(directory: string, archives: Readonly<Record<string, string>>) {
    this.#directory = directory;
    this.#archives = archives;
  }

  of(image: string): Promise<Layer> {
    const archive = Object.hasOwn(this.#archives, image) ? this.#archives[image] : undefined;
    const key = archive ?? '';
    const known = this.#made.get(key) ?? this.#make(archive, join(this.#directory, String(this.#made.size)));
    this.#made.set(key, known);
    return known;
  }

  async #make(archive: string | undefined, directory: string): Promise<Layer> {
    await mkdir(directory, { recursive: true });
    if (archive === undefined) await makeSkeleton(directory);
    else await run('tar', ['-xf', archive, '-C', directory]);
    return { directory, hostUsr: archive === undefined };
  }
}

/** Nothing of /home, /root or /var of this host, and of /etc only what programs need to run. */
const shared = [
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'alternatives',
  'nsswitch.conf',
  'ssl',
  'services',
  'protocols',
];

async function makeSkeleton(directory: string): Promise<void> {
  for (const name of ['usr', 'etc', 'root', 'tmp', 'var/tmp', 'home/daytona'])
    await mkdir(join(directory, name), { recursive: true });
  for (const name of ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32']) {
    const stats = await lstat(join('/', name)).catch(() => null);
    if (stats?.isSymbolicLink() === true) await symlink(await readlink(join('/', name)), join(directory, name));
  }
  for (const name of shared)
    await cp(join('/etc', name), join(directory, 'etc', name), { recursive: true, verbatimSymlinks: true }).catch(
      () => undefined, // Not every host has all of them.
    );
  await writeFile(join(directory, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n');
  await writeFile(join(directory, 'etc/group'), 'root:x:0:\nnogroup:x:65534:\n');
  await writeFile(join(directory, 'etc/hosts'), '127.0.0.1 localhost\n');
}
