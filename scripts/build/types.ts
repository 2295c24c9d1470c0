/** Declarations of what the package exports, and of what those need; no others. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

const entries = [
  'src/index.d.ts',
  'src/backend.d.ts',
  'src/network/net.d.ts',
  'src/client/index.d.ts',
  'test/conformance/index.d.ts',
  'test/api/index.d.ts',
];
/** Every other package would have to be installed by those who check the declarations. */
const allowed = /^(?:node:|vitest$)/;

export function writeTypes(root: string): void {
  const made = mkdtempSync(join(tmpdir(), 'caisson-types-'));
  try {
    execFileSync('tsc', ['-p', 'tsconfig.build.json', '--outDir', made], { cwd: root, stdio: 'inherit' });
    for (const file of reached(made)) cpSync(file, join(root, 'dist/types', relative(made, file)));
  } finally {
    rmSync(made, { recursive: true });
  }
}

function reached(root: string): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (file: string, by: readonly string[]): void => {
    if (found.has(file)) return;
    found.add(file);
    const path = [...by, relative(root, file)];
    for (const id of importsOf(file)) {
      if (id.startsWith('.')) visit(resolve(dirname(file), id.replace(/\.[jt]s$/, '.d.ts')), path);
      else if (!allowed.test(id)) throw new Error(`types of ${id} are exported, by ${path.join(' > ')}`);
    }
  };
  for (const entry of entries) visit(join(root, entry), []);
  return found;
}

/** Comments are left out: they show imports too. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
  return [...text.matchAll(/(?:^(?:im|ex)port\b[^;'"]*?from\s*|\bimport\()['"]([^'"]+)['"]/gm)].flatMap(
    ([, id]) => id ?? [],
  );
}
