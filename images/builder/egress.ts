/** The image of `images/egress`: a root file system of the running Node, put together as it is read. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, realpath, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { pack, type Pack } from 'tar-stream';
import type { DoorImage } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { extensionsOf, findRulesProgram } from './egress-rules.ts';
import { assetPath } from '../../src/lib/asset.ts';

interface Part {
  readonly source: string;
  /** In the image. */
  readonly target: string;
  readonly bytes: number;
}

/** Parts of a program: where they lie on this host. */
interface Linked {
  readonly loader: string;
  readonly libraries: readonly string[];
}

const inImage = '/caisson';
const elf = Buffer.from([0x7f, 0x45, 0x4c, 0x46]);

/** Throws `not_supported` where the running Node cannot be taken into an image. */
export async function egressImage(node: string = process.execPath): Promise<DoorImage> {
  await mustBeElf(node);
  const { loader, libraries } = await linkedTo(node);
  const forwarder = assetPath('images/egress/files/forwarder.mjs');
  const rules = await rulesParts();
  const parts = [
    await part(node, 'node'),
    await part(forwarder, 'forwarder.mjs'),
    ...rules.parts,
    ...(await librariesIn([loader, ...libraries, ...rules.libraries])),
  ];
  const linked = [`${inImage}/lib/${basename(loader)}`, '--library-path', `${inImage}/lib`];
  const hash = await hashOf(parts, forwarder);
  return {
    reference: `caisson/egress:${hash}`,
    labels: { 'caisson.egress': hash },
    command: [...linked, `${inImage}/node`, `${inImage}/forwarder.mjs`],
    rules:
      rules.parts.length === 0
        ? null
        : {
            command: [...linked, `${inImage}/iptables-restore`],
            env: [`XTABLES_LIBDIR=${inImage}/xtables`, 'XTABLES_LOCKFILE=/dev/shm/xtables.lock'],
          },
    rootfs: () => rootfsOf(parts),
  };
}

/** Empty where this host has no iptables. */
async function rulesParts(): Promise<{ readonly parts: readonly Part[]; readonly libraries: readonly string[] }> {
  const program = await findRulesProgram();
  if (program === null) return { parts: [], libraries: [] };
  const { libraries } = await linkedTo(program);
  const extensions = await extensionsOf(libraries);
  return {
    parts: [
      await part(program, 'iptables-restore'),
      ...(await Promise.all(extensions.map((path) => part(path, `xtables/${basename(path)}`)))),
    ],
    libraries,
  };
}

/** Lists a library that two programs share once. */
async function librariesIn(paths: readonly string[]): Promise<readonly Part[]> {
  const byName = new Map(paths.map((path) => [basename(path), path]));
  return await Promise.all([...byName].map(([name, path]) => part(path, `lib/${name}`)));
}

async function mustBeElf(node: string): Promise<void> {
  const file = await open(node);
  try {
    const { buffer } = await file.read(Buffer.alloc(elf.length), 0, elf.length, 0);
    if (buffer.equals(elf)) return;
  } finally {
    await file.close();
  }
  throw new CaissonError('not_supported', `${node} is no ELF file, and cannot be taken into the egress image`, {
    remedy: 'run Caisson with a Node that is a Linux program, not a script that starts one',
  });
}

/** Asks ldd(1) of the host's C library, which knows the paths. */
async function linkedTo(node: string): Promise<Linked> {
  const { stdout } = await promisify(execFile)('ldd', [node], {
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
  }).catch((cause: unknown) => {
    throw new CaissonError('not_supported', 'ldd(1) does not say what the egress image is linked with', {
      cause,
      remedy: 'install ldd (glibc: libc-bin), or run Caisson with a Node that is linked dynamically',
    });
  });
  const paths = linkedPaths(stdout);
  const loader = paths.find((path) => /^ld[-.]/.test(basename(path)));
  if (loader !== undefined) return { loader, libraries: paths.filter((path) => path !== loader) };
  throw new CaissonError('not_supported', 'ldd(1) names no loader for Node', {
    remedy: 'run Caisson with a Node that is linked dynamically',
  });
}

/** `libm.so.6 => /lib/libm.so.6 (0x...)`, and `/lib64/ld-linux-x86-64.so.2 (0x...)`. */
export function linkedPaths(said: string): readonly string[] {
  const found = said.split('\n').flatMap((line) => /^\s*(?:\S+ => )?(\/\S+) \(0x[0-9a-f]+\)$/.exec(line)?.[1] ?? []);
  return [...new Set(found)];
}

async function part(path: string, target: string): Promise<Part> {
  const source = await realpath(path);
  return { source, target: `${inImage.slice(1)}/${target}`, bytes: (await stat(source)).size };
}

/** Hashes names, sizes and times of the parts, not their bytes, which would take seconds. */
async function hashOf(parts: readonly Part[], forwarder: string): Promise<string> {
  const stamps = await Promise.all(
    parts.map(async ({ source, target, bytes }) => [target, bytes, (await stat(source)).mtimeMs]),
  );
  const facts = [process.version, process.arch, stamps, await readFile(forwarder, 'utf8')];
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 16);
}

function rootfsOf(parts: readonly Part[]): Readable {
  const tar = pack();
  void (async () => {
    for (const name of ['', '/lib', '/xtables'].map((below) => `${inImage.slice(1)}${below}`))
      tar.entry({ name, type: 'directory', mode: 0o755 });
    for (const each of parts) await writePart(tar, each);
    tar.finalize();
  })().catch((error: unknown) => tar.destroy(error instanceof Error ? error : new Error('the image was not written')));
  return Readable.from(tar);
}

async function writePart(tar: Pack, { source, target, bytes }: Part): Promise<void> {
  const entry = tar.entry({ name: target, size: bytes, mode: 0o755 });
  await pipeline(createReadStream(source), entry);
}
