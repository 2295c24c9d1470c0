/** Entries of a directory and of those below it, in the order of names, in pages. */
import type { McpApi } from '../api.ts';

const pageEntries = 500;
const maxEntries = 20_000;
const maxDirectories = 500;

interface From {
  readonly task: string;
  readonly path: string;
  readonly depth: number;
  /** Entries of pages before. */
  readonly from: number;
  readonly signal: AbortSignal;
}

export async function entriesFrom(files: Pick<McpApi['files'], 'list'>, { task, path, depth, from, signal }: From) {
  const entries: {
    readonly path: string;
    readonly kind: 'file' | 'directory' | 'symlink' | 'other';
    readonly size: number;
    readonly modified_at: string;
  }[] = [];
  let truncated = false;
  let directories = 0;
  const walk = async (directory: string, left: number): Promise<void> => {
    if (directories >= maxDirectories || entries.length >= maxEntries) return void (truncated = true);
    directories++;
    const listed = await files.list({ task, path: directory }, { signal });
    truncated ||= listed.truncated;
    for (const { name, kind, size, modifiedAt } of listed.entries) {
      const at = directory === '/' ? `/${name}` : `${directory}/${name}`;
      entries.push({ path: at.replace(/^\.\//, ''), kind, size, modified_at: modifiedAt });
      if (kind === 'directory' && left > 1 && entries.length < from + pageEntries) await walk(at, left - 1);
    }
  };
  await walk(path.length > 1 ? path.replace(/\/+$/, '') : path, depth);
  const end = from + pageEntries;
  return { entries: entries.slice(from, end), next: entries.length > end ? String(end) : null, truncated };
}
