/** Reads what files import, by a real parser: static, re-exported, dynamic and type-only alike. */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { posix } from 'node:path';
import { parseSync } from 'oxc-parser';

export interface Import {
  readonly line: number;
  /** Specifier in the source. `null`: computed when the program runs, so that where it leads is not known. */
  readonly specifier: string | null;
}

/** Paths are relative to the root of the project, with `/`. */
export type Sources = ReadonlyMap<string, string>;

export function importsOf(path: string, text: string): readonly Import[] {
  const { module } = parseSync(path, text);
  const at = (start: number) => text.slice(0, start).split('\n').length;
  const requests = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest),
    ...module.staticExports.flatMap(({ entries }) => entries.flatMap(({ moduleRequest }) => moduleRequest ?? [])),
  ];
  const found = [
    ...requests.map(({ start, value }) => ({ line: at(start), specifier: value })),
    ...module.dynamicImports.map(({ moduleRequest: { start, end } }) => ({
      line: at(start),
      specifier: literal(text.slice(start, end)),
    })),
  ];
  return found.sort((a, b) => a.line - b.line);
}

function literal(expression: string): string | null {
  return /^(['"`])([^'"`\\$]*)\1$/.exec(expression)?.[2] ?? null;
}

/** The file of the project that an import leads to. `null`: a package, or computed. */
export function targetOf(path: string, { specifier }: Import): string | null {
  return specifier?.startsWith('.') ? posix.join(posix.dirname(path), specifier) : null;
}

export async function readSources(root: string, patterns: readonly string[]): Promise<Sources> {
  const sources = new Map<string, string>();
  for await (const path of glob([...patterns], { cwd: root, exclude: ['node_modules/**', 'dist/**'] })) {
    sources.set(path.replaceAll('\\', '/'), readFileSync(`${root}/${path}`, 'utf8'));
  }
  return sources;
}
