/** `npm run build`: everything that is published, into dist/, and a check of the package. */
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { bundleAdapters, bundleClient, bundleCode, bundleSuite } from './build/code.ts';
import { bundleDashboard } from './build/dashboard.ts';
import { billOf, licencesOf, packagesOf } from './build/parts.ts';
import { writeTypes } from './build/types.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const { name, version } = z
  .object({ name: z.string(), version: z.string() })
  .parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

/** What code reads at run time, in the folders in which it stands. */
const assets = [
  '{src,backends,emulators}/**/*.{sh,json,proto,bash,zsh,fish,mjs}',
  'images/**',
  'config/default.yaml',
  'dashboard/src/style/base.css',
];
const grammar = ['web-tree-sitter/web-tree-sitter.wasm', 'tree-sitter-bash/tree-sitter-bash.wasm'];

rmSync(dist, { recursive: true, force: true });
const modules = new Set([
  ...(await bundleCode(root, version)),
  ...(await bundleClient(root)),
  ...(await bundleAdapters(root)),
  ...(await bundleSuite(root)),
  ...(await bundleDashboard(root)),
]);
for await (const path of glob(assets, { cwd: root, exclude: ['images/builder/**', '**/*.{ts,md}'] }))
  if (statSync(join(root, path)).isFile()) cpSync(join(root, path), join(dist, path));
for (const path of grammar) cpSync(join(root, 'node_modules', path), join(dist, basename(path)));
writeTypes(root);
const parts = packagesOf(root, [...modules, ...grammar.map((path) => join(root, 'node_modules', path))]);
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES'), licencesOf(parts));
writeFileSync(join(dist, 'sbom.cdx.json'), `${JSON.stringify(billOf({ name, version }, parts), null, 2)}\n`);
execFileSync('publint', ['run', root, '--strict'], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
