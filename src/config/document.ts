/** YAML with the place of every key. Bounded in size, depth and expansion, whatever the file holds. */
import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { configError, type Problem } from './problem.ts';

export interface Position {
  readonly line: number;
  readonly column: number;
}

export type Path = readonly PropertyKey[];

export interface Parsed {
  readonly value: unknown;
  /** Position of a key or of an item of a list; for what is not there, that of its nearest parent. */
  readonly positionOf: (path: Path) => Position;
}

const maxNodes = 10_000;
const maxDepth = 16;

/** Throws `invalid_argument` with file, line and column. */
export function parseYaml(text: string, file: string): Parsed {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: true,
    strict: true,
    version: '1.2',
    schema: 'core',
    logLevel: 'error',
    prettyErrors: false,
  });
  const problems = [...document.errors, ...document.warnings].map(({ code, pos, message }): Problem => {
    const { line, col } = lines.linePos(pos[0]);
    return {
      at: `${file}:${line}:${col}`,
      key: '',
      message: code === 'MULTIPLE_DOCS' ? 'only one document is allowed' : (message.split('\n')[0] ?? ''),
    };
  });
  if (problems.length > 0) throw configError(problems);
  const walk = new Walk(document, file, lines);
  const value = document.contents === null ? null : walk.read(document.contents, []);
  return { value, positionOf: (path) => walk.positionOf(path) };
}

class Walk {
  readonly #document: Document;
  readonly #file: string;
  readonly #lines: LineCounter;
  readonly #positions = new Map<string, Position>();
  #nodes = 0;

  constructor(document: Document, file: string, lines: LineCounter) {
    this.#document = document;
    this.#file = file;
    this.#lines = lines;
  }

  read(node: unknown, path: Path): unknown {
    this.#nodes += 1;
    if (this.#nodes > maxNodes || path.length > maxDepth)
      throw this.#problemError(node, path, 'too large or too deeply nested');
    if (isAlias(node)) return this.read(node.resolve(this.#document), [...path]);
    if (isMap(node)) return this.#map(node.items, path);
    if (isSeq(node))
      return node.items.map((item, index) => this.read(this.#mark(item, [...path, index]), [...path, index]));
    return isScalar(node) ? node.value : null;
  }

  positionOf(path: Path): Position {
    for (let length = path.length; length > 0; length -= 1) {
      const found = this.#positions.get(keyOf(path.slice(0, length)));
      if (found !== undefined) return found;
    }
    return { line: 1, column: 1 };
  }

  #map(items: readonly Pair[], path: Path): Record<string, unknown> {
    // Without a prototype, a key called __proto__ is a key like any other, and unknown.
    const value: Record<string, unknown> = { __proto__: null };
    for (const { key, value: inner } of items) {
      if (!isScalar(key)) throw this.#problemError(key, path, 'a key must be a plain word');
      const name = String(key.value);
      this.#mark(key, [...path, name]);
      value[name] = this.read(inner, [...path, name]);
    }
    return value;
  }

  #mark<T>(node: T, path: Path): T {
    this.#positions.set(keyOf(path), this.#at(node) ?? this.positionOf(path));
    return node;
  }

  #at(node: unknown): Position | null {
    const offset = isNode(node) ? node.range?.[0] : undefined;
    if (offset === undefined) return null;
    const { line, col } = this.#lines.linePos(offset);
    return { line, column: col };
  }

  #problemError(node: unknown, path: Path, message: string): Error {
    const { line, column } = this.#at(node) ?? this.positionOf(path);
    return configError([{ at: `${this.#file}:${line}:${column}`, key: path.slice(0, 8).join('.'), message }]);
  }
}

function isNode(value: unknown): value is Node {
  return isAlias(value) || isMap(value) || isSeq(value) || isScalar(value);
}

function keyOf(path: Path): string {
  return JSON.stringify(path.map(String));
}
