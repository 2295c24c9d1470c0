/** The files of this host that the running Node needs beside the kernel: itself, and what the dynamic linker loads for it. */
import { access, open, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CaissonError } from '../../src/errors.ts';
import { run } from './run.ts';

const elfMagic = '\x7fELF';
/** Loaded by name when a host is looked up: of the GNU C library before 2.34. */
const resolvers = ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2'];
/** Cache in which the linker of the GNU C library looks up libraries outside of the usual directories. */
const linkerCache = '/etc/ld.so.cache';

/** Paths of libraries, as the linker looks for them. Throws `failed_precondition` for a Node that is no ELF file. */
export async function librariesOf(node: string, env: NodeJS.ProcessEnv): Promise<readonly string[]> {
  if (!(await isElf(node)))
    throw new CaissonError('failed_precondition', `${node} is no ELF file, so that no image for Linux can hold it`, {
      remedy: 'build the image on Linux, with the Node of nodejs.org or of a distribution',
    });
  const remedy = `ldd(1) must list what ${node} is linked with; a Node that is linked statically cannot be used`;
  const libraries = pathsIn(await run(['ldd', node], { env: { PATH: env['PATH'] }, remedy }));
  const libc = libraries.find((path) => /\/libc\.so\.6$/.test(path));
  const beside = libc === undefined ? [] : [...resolvers.map((name) => join(dirname(libc), name)), linkerCache];
  return [...libraries, ...(await thereAmong(beside))];
}

/** Reads the paths of `libm.so.6 => /lib/libm.so.6 (0x7f)` and `/lib64/ld-linux-x86-64.so.2 (0x7f)`; `linux-vdso` is in no file. */
export function pathsIn(lines: readonly string[]): readonly string[] {
  return [...new Set(lines.flatMap((line) => /(?:=>|^)\s*(\/\S+) \(0x[0-9a-f]+\)$/.exec(line.trim())?.[1] ?? []))];
}

async function isElf(path: string): Promise<boolean> {
  await using file = await open(await realpath(path));
  const { buffer } = await file.read(Buffer.alloc(elfMagic.length));
  return buffer.toString('latin1') === elfMagic;
}

async function thereAmong(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => [path],
        () => [],
      ),
    ),
  );
  return found.flat();
}
