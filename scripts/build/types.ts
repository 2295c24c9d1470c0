/** Declarations of what the package exports, and of what those need; no others. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';

const entries = [
  'src/index.d.ts',
  'src/backend.d.ts',
  'src/network/net.d.ts',
  'src/adapters/deepagents.d.ts',
  'src/adapters/ai.d.ts',
  'src/adapters/openai-agents.d.ts',
  'test/conformance/index.d.ts',
  'test/api/index.d.ts',
];
/** Every other package would have to be installed by those who check the declarations. */
const allowed = /^(?:node:|vitest$)/;

export function writeTypes(root: string): void {
  const made = mkdtempSync(join(tmpdir(), 'caisson-types-'));
  try {
    execFileSync('tsc', ['-p', 'tsconfig.build.json', '--outDir', made], { cwd: root, stdio: 'inherit' });
    for (const file of reached(made, entries)) cpSync(file, join(root, 'dist/types', relative(made, file)));
    writeClientTypes(made, join(root, 'dist/client-types'));
  } finally {
    rmSync(made, { recursive: true });
  }
}

/**
 * The client also runs in browsers, Deno and Bun, where types of Node are absent: its declarations are a copy that names none. A
 * reference brings `AsyncDisposable`, which `lib` of a program seldom has.
 */
function writeClientTypes(made: string, target: string): void {
  const entry = join(made, 'src/client/index.d.ts');
  for (const file of reached(made, [relative(made, entry)])) {
    const path = join(target, relative(made, file));
    const text = withoutNode(readFileSync(file, 'utf8'), relative(dirname(path), join(target, 'streams.ts')));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, file === entry ? `/// <reference lib="esnext.disposable" />\n${text}` : text);
  }
  writeFileSync(join(target, 'streams.d.ts'), streams);
}

const streams = `/** Streams of Node, as far as shared types name them. The client itself has \`ByteSink\` and \`ByteSource\`. */
export interface Readable extends AsyncIterable<Uint8Array> {}
export interface Writable {
  write(bytes: Uint8Array | string): boolean;
  end(): unknown;
}
`;

function withoutNode(text: string, streamsPath: string): string {
  const here = text.replaceAll("'node:stream'", `'${streamsPath}'`).replaceAll(/\bBuffer\b/g, 'Uint8Array');
  const [left] = /'node:[^']+'|\bNodeJS\b/.exec(here.replaceAll(/\/\*[\s\S]*?\*\//g, '')) ?? [];
  if (left !== undefined) throw new Error(`types of the client name ${left}`);
  return here;
}

function reached(root: string, from: readonly string[]): ReadonlySet<string> {
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
  for (const entry of from) visit(join(root, entry), []);
  return found;
}

/** Comments are left out: they show imports too. */
function importsOf(file: string): readonly string[] {
  const text = readFileSync(file, 'utf8').replaceAll(/\/\*[\s\S]*?\*\//g, '');
  return [...text.matchAll(/(?:^(?:im|ex)port\b[^;'"]*?from\s*|\bimport\()['"]([^'"]+)['"]/gm)].flatMap(
    ([, id]) => id ?? [],
  );
}
