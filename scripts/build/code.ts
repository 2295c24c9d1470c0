/**
 * Bundles the code into dist/: CommonJS chunks, since `require` takes the built-in modules of Node without reading every export
 * of them (an `import` of node:http loads undici), and since a chunk of CommonJS can be run from a code cache.
 */
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { type OutputAsset, type OutputChunk, type Plugin, rolldown } from 'rolldown';

/** Modules by the path of their file, of which a part went into the bundle. */
export type Bundled = ReadonlySet<string>;

export async function bundleCode(root: string, version: string): Promise<Bundled> {
  const output = join(root, 'dist');
  const build = await buildName(root, version);
  const bundle = await rolldown({
    cwd: root,
    input: { cli: 'src/cli/main.ts', index: 'src/index.ts', backend: 'src/backend.ts', net: 'src/network/net.ts' },
    platform: 'node',
    // Optional peers, each loaded when it is used.
    external: ['openai', 'modal', '@daytonaio/sdk'],
    // Emscripten, which starts the runtime of the grammar, evaluates texts of its own build.
    checks: { eval: false },
    transform: { define: { CAISSON_BUILD: JSON.stringify(build), CAISSON_VERSION: JSON.stringify(version) } },
    plugins: [plainImport, tracesPeer, absentParts],
  });
  const { output: chunks } = await bundle.write({
    dir: output,
    format: 'cjs',
    exports: 'named',
    dynamicImportInCjs: false,
    comments: false,
    entryFileNames: 'code/[name].cjs',
    chunkFileNames: 'code/[name]-[hash].cjs',
    codeSplitting: { groups: together },
  });
  await bundle.close();
  copyFileSync(join(root, 'scripts/build/node-version.mjs'), join(output, 'node-version.mjs'));
  writeFileSync(join(output, 'import.cjs'), 'exports.importModule = (url) => import(url);\n');
  for (const chunk of chunks.filter(isEntry)) if (chunk.name !== 'cli') writeWrapper(output, chunk);
  return modulesOf(chunks);
}

/** One file for every platform: no built-in module of Node, and its own copy of the errors, so that a page can load it. */
export async function bundleClient(root: string): Promise<Bundled> {
  const bundle = await rolldown({
    cwd: root,
    input: { client: 'src/client/index.ts' },
    platform: 'neutral',
    plugins: [selfContained],
  });
  const { output } = await bundle.write({ dir: join(root, 'dist'), format: 'esm', entryFileNames: '[name].mjs' });
  await bundle.close();
  return modulesOf(output);
}

/** One folder for all of them, without a built-in module of Node: they serve beside the client too. */
export async function bundleAdapters(root: string): Promise<Bundled> {
  const bundle = await rolldown({
    cwd: root,
    input: {
      deepagents: 'src/adapters/deepagents.ts',
      ai: 'src/adapters/ai.ts',
      'openai-agents': 'src/adapters/openai-agents.ts',
    },
    platform: 'neutral',
    plugins: [selfContained],
  });
  const { output } = await bundle.write({
    dir: join(root, 'dist/adapters'),
    format: 'esm',
    comments: false,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await bundle.close();
  return modulesOf(output);
}

const selfContained: Plugin = {
  name: 'self-contained',
  resolveId: (id, importer) => {
    if (importer === undefined || id.startsWith('.') || id.startsWith('/')) return null;
    throw new Error(`${importer} imports ${id}, which a browser has not`);
  },
};

/**
 * What every command loads, and what every command does that goes through a service: one file each, since a file costs more than
 * what it holds.
 */
const together = [
  {
    name: 'command',
    test: /\/src\/(?:cli\/(?!code|attached|account|trust|inspection|initial|lines|pairing|replay)[a-z-]+\.ts|cli\/service\/way|errors|exec\/exit|service\/pages|lib\/(?:nearest|find-home|service-record|start-time|lives))/,
  },
  {
    name: 'through',
    test: /\/src\/(?:cli\/service\/(?!copy|questions)|client\/(?!unix\/(?:web-socket|frames))|exec\/outcome|guard\/inside|lib\/build)/,
  },
];

/** The suites run in vitest, which is an ES module, and throw and compare the errors of the backend's package. */
export async function bundleSuite(root: string): Promise<Bundled> {
  const bundle = await rolldown({
    cwd: root,
    input: { conformance: 'test/conformance/index.ts', 'conformance-api': 'test/api/index.ts' },
    platform: 'node',
    external: ['vitest'],
    plugins: [sharedErrors],
  });
  const { output } = await bundle.write({ dir: join(root, 'dist'), format: 'esm', entryFileNames: '[name].mjs' });
  await bundle.close();
  return modulesOf(output);
}

/** A name for each state of the code: what is kept for one build is not read by another. */
async function buildName(root: string, version: string): Promise<string> {
  const files = await Array.fromAsync(glob('{src,backends,emulators,images}/**/*', { cwd: root, withFileTypes: true }));
  const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
  const hash = createHash('sha256');
  for (const path of [...paths.toSorted(), join(root, 'package-lock.json')])
    hash.update(path.slice(root.length)).update('\0').update(readFileSync(path)).update('\0');
  return `${version}-${hash.digest('hex').slice(0, 16)}`;
}

/** The API of OpenTelemetry is the program's own where spans are made. A library for metrics needs a copy, which is bundled. */
const tracesPeer: Plugin = {
  name: 'traces-peer',
  resolveId: (id, importer) =>
    importer?.endsWith('/lib/traced.ts') === true && id === '@opentelemetry/api' ? { id, external: true } : null,
};

/** Code that is run from a code cache cannot import: a file beside it does. */
const plainImport: Plugin = {
  name: 'plain-import',
  resolveId: (id, importer) =>
    importer?.endsWith('/config/registered.ts') === true && id === './import.ts'
      ? { id: '../import.cjs', external: true }
      : null,
};

/**
 * What dockerode and ssh2 load and Caisson never calls: BuildKit sessions, an engine over ssh, code of other languages. Emulators use
 * gRPC themselves, as an optional peer.
 */
const absentParts: Plugin = {
  name: 'absent-parts',
  resolveId: (id, importer) => {
    if (/^(?:@grpc\/|protobufjs)/.test(id))
      return importer?.includes('/emulators/') === true ? { id, external: true } : '\0absent';
    if (id === 'ssh2' && importer?.includes('docker-modem') === true) return '\0absent';
    return id === 'cpu-features' || id.endsWith('.node') ? '\0not-built' : null;
  },
  load: (id) => {
    if (id === '\0not-built') return { code: 'throw new Error("not built here");', moduleType: 'js' };
    return id === '\0absent' ? { code: 'module.exports = {};', moduleType: 'js' } : null;
  },
};

const sharedErrors: Plugin = {
  name: 'shared-errors',
  resolveId: (id) => (/\/src\/errors\.ts$/.test(id) ? { id: './backend.mjs', external: true } : null),
};

function isEntry(chunk: OutputAsset | OutputChunk): chunk is OutputChunk {
  return chunk.type === 'chunk' && chunk.isEntry;
}

/** For `import`: the version of Node is checked first, and the names are written out, so that the CommonJS file is not analysed. */
function writeWrapper(output: string, { name, exports }: OutputChunk): void {
  const names = exports.toSorted().join(', ');
  writeFileSync(
    join(output, `${name}.mjs`),
    `import './node-version.mjs';\nimport code from './code/${name}.cjs';\nexport const { ${names} } = code;\n`,
  );
}

function modulesOf(chunks: readonly (OutputAsset | OutputChunk)[]): Bundled {
  return new Set(chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : [])));
}
