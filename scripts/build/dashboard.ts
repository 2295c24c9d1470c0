/**
 * The dashboard, built by Vite. In a checkout it stays beside its sources and is built again only when they are newer: tests and the
 * service of a checkout read it there, also while a package is made.
 */
import { cpSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { z } from 'zod';
import type { Bundled } from './code.ts';

/** What it is made from. */
const sources = [
  'dashboard/{index.html,vite.config.ts}',
  'dashboard/src/**/*',
  'src/client/**/*.ts',
  'package-lock.json',
];
const modulesFile = 'modules.json';

/** Into `dist/` of the package. */
export async function bundleDashboard(root: string): Promise<Bundled> {
  await buildDashboard(root);
  const at = join(root, 'dashboard/dist');
  for (const name of ['index.html', 'assets'])
    cpSync(join(at, name), join(root, 'dist/dashboard', name), { recursive: true });
  return new Set(z.array(z.string()).parse(JSON.parse(readFileSync(join(at, modulesFile), 'utf8'))));
}

/** Whether it was built now. */
export async function buildDashboard(root: string): Promise<boolean> {
  const at = join(root, 'dashboard/dist');
  if (await isFresh(root, join(at, modulesFile))) return false;
  const built = await build({ configFile: join(root, 'dashboard/vite.config.ts') });
  const outputs = Array.isArray(built) ? built : [built];
  const modules = outputs.flatMap((each) =>
    'output' in each ? each.output.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : [])) : [],
  );
  // Written last: what is not whole is built again.
  writeFileSync(join(at, modulesFile), JSON.stringify(modules));
  return true;
}

async function isFresh(root: string, made: string): Promise<boolean> {
  if (!existsSync(made)) return false;
  const files = await Array.fromAsync(glob(sources, { cwd: root }));
  const newest = Math.max(...files.map((file) => statSync(join(root, file)).mtimeMs));
  return newest <= statSync(made).mtimeMs;
}
