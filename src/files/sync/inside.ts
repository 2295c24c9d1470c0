/** The sandbox's side of a sync: what it holds, by its own word. A lie of it harms the sandbox alone. */
import type { Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import type { ByteName } from '../byte-name.ts';
import { toBytes } from '../byte-name.ts';
import { runTool } from '../tools/run.ts';
import { canSync } from './names.ts';
import type { Hashes } from './plan.ts';
import type { Layout } from './way.ts';

export interface InsideSide extends Layout {
  readonly files: Hashes;
  /** Those of the files that can be run. */
  readonly programs: ReadonlySet<ByteName>;
  /** Files whose names cannot be compared. */
  readonly odd: readonly ByteName[];
}

/** Some hundred thousand files. */
const maxTold = 16 * 1024 * 1024;

const line = /^([0-9a-f]{64}) [ *]\.\/(.+)$/;

export interface InsideOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface LookOptions extends InsideOptions {
  /** A directory below it that is not looked at. */
  readonly withheld?: ByteName | null;
  /** Whether it has to be there. */
  readonly must?: boolean;
}

export async function lookInside(
  sandbox: Sandbox,
  directory: string,
  { withheld = null, must = false, signal }: LookOptions,
): Promise<InsideSide> {
  const said = await ran(sandbox, { script: 'sync-look', args: [directory, must ? 'must' : ''], signal });
  const end = said.indexOf(0);
  const isSeen = (path: ByteName): boolean =>
    withheld === null || !(path === withheld || path.startsWith(`${withheld}/`));
  const hashes = [...parse(said.subarray(0, end < 0 ? said.length : end))].filter(([path]) => isSeen(path));
  const [programs, directories, others, unread] = parseLists(
    end < 0 ? said.subarray(said.length) : said.subarray(end + 1),
  );
  const odd = [...unread, ...hashes.map(([path]) => path).filter((path) => !canSync(path))].filter(isSeen);
  return {
    files: new Map(hashes.filter(([path]) => canSync(path))),
    programs: new Set(programs),
    directories: new Set(directories.filter(isSeen)),
    others: new Set([...others.filter(isSeen), ...odd]),
    odd,
  };
}

/** Throws `unavailable` when a file does not hold what was sent. */
export async function verifyInside(
  sandbox: Sandbox,
  directory: string,
  { sent, signal }: { readonly sent: Hashes; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  if (sent.size === 0) return;
  // Input takes the sandbox's own exec, which costs as much as a thousand files.
  const found =
    sent.size > 1000
      ? (await lookInside(sandbox, directory, { signal })).files
      : parse(await ran(sandbox, { script: 'sync-hash', args: [directory], input: namesOf([...sent.keys()]), signal }));
  const wrong = [...sent].filter(([path, hash]) => found.get(path) !== hash);
  if (wrong.length === 0) return;
  throw new CaissonError('unavailable', `${wrong.length} files did not arrive as they were sent`, {
    remedy: 'try again; something in the sandbox may be writing them too',
  });
}

/** Makes what is above the directory. Whether it is there itself. */
export async function makeInside(sandbox: Sandbox, directory: string, options: InsideOptions): Promise<boolean> {
  const said = await ran(sandbox, { script: 'sync-make', args: [directory], signal: options.signal });
  return said.toString() === 'there\n';
}

export interface Removal extends InsideOptions {
  readonly files: readonly ByteName[];
  /** In the order in which they can go. */
  readonly directories: readonly ByteName[];
}

export async function removeInside(
  sandbox: Sandbox,
  directory: string,
  { files, directories, signal }: Removal,
): Promise<void> {
  const args = [directory] as const;
  if (files.length > 0) await ran(sandbox, { script: 'sync-remove', args, input: namesOf(files), signal });
  if (directories.length > 0) await ran(sandbox, { script: 'sync-clear', args, input: namesOf(directories), signal });
}

async function ran(sandbox: Sandbox, run: Parameters<typeof runTool>[1]): Promise<Buffer> {
  const { bytes, failure } = await runTool(sandbox, { max: maxTold, ...run });
  if (failure !== null) throw failure;
  return bytes;
}

function namesOf(paths: readonly ByteName[]): Buffer {
  return Buffer.concat(paths.map((path) => toBytes(`./${path}\0`)));
}

function parse(said: Buffer): Hashes {
  const found = new Map<ByteName, string>();
  for (const each of said.toString('latin1').split('\n')) {
    const [, hash, path] = line.exec(each) ?? [];
    if (hash !== undefined && path !== undefined) found.set(path, hash);
  }
  return found;
}

type Names = readonly ByteName[];

function parseLists(said: Buffer): readonly [Names, Names, Names, Names] {
  const lists: ByteName[][] = [[]];
  for (const name of said.toString('latin1').split('\0')) {
    if (name === '') lists.push([]);
    else if (name.startsWith('./')) lists.at(-1)?.push(name.slice(2));
  }
  const [a = [], b = [], c = [], d = []] = lists;
  return [a, b, c, d];
}
