/** `npm run build`: JavaScript and types into dist/, beside the files that the code reads, and a check of the package. */
import { execFileSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { glob } from 'node:fs/promises';

const root = fileURLToPath(new URL('..', import.meta.url));

function tool(name: string, ...rest: readonly string[]): void {
  execFileSync(name, rest, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
}

rmSync(`${root}/dist`, { recursive: true, force: true });
tool('tsc', '-p', 'tsconfig.build.json');
// Code finds its files beside itself, so they stand in dist/ where they stand in the source.
for await (const entry of glob(['src/**', 'backends/**', 'images/**', 'config/**'], {
  cwd: root,
  withFileTypes: true,
})) {
  if (!entry.isFile() || /\.(ts|tsx|md)$/.test(entry.name)) continue;
  const path = `${entry.parentPath}/${entry.name}`;
  cpSync(path, path.replace(root, `${root}/dist/`));
}
tool('publint', 'run', root, '--strict');
