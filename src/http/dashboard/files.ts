/** Files of the dashboard as they were built: read once, when the service opens, and held compressed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

export interface BuiltFile {
  readonly type: string;
  readonly bytes: Buffer;
  /** Bytes as gzip makes them. */
  readonly gzip: Buffer;
}

export interface Built {
  /** The page, in which `nonceMark` stands for the nonce of an answer. */
  readonly page: string;
  /** Files of `assets/` by name; a name has the digest of what it holds. */
  readonly assets: ReadonlyMap<string, BuiltFile>;
}

export const nonceMark = '__CSP_NONCE__';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** `null`: it was not built. A file of another kind is left out. */
export function readBuilt(directory: string): Built | null {
  const page = join(directory, 'index.html');
  if (!existsSync(page)) return null;
  const assets = readdirSync(join(directory, 'assets')).flatMap((name) => {
    const type = types[extname(name)];
    return type === undefined ? [] : [[name, builtFile(join(directory, 'assets', name), type)] as const];
  });
  return { page: readFileSync(page, 'utf8'), assets: new Map(assets) };
}

function builtFile(path: string, type: string): BuiltFile {
  const bytes = readFileSync(path);
  return { type, bytes, gzip: gzipSync(bytes) };
}
