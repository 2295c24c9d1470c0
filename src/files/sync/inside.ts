/** The sandbox's side of a sync: what it holds, by its own word. A lie of it harms the sandbox alone. */
import type { Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import type { ByteName } from '../byte-name.ts';
import { toBytes } from '../byte-name.ts';
import { exits } from '../scripts.ts';
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

/**
 * $1 directory, $2 \`must\` when it has to be there. The hashes of files, a NUL, and four lists of names, each ended by an
 * empty one: programs, directories, links and devices, and files whose names a line cannot hold. What a copy or a write that
 * goes on has in its scratch is not part of it.
 */
const lookScript = `
if [ ! -d "$1" ]; then
  [ -n "$2" ] || exit 0
  [ ! -e "$1" ] || exit ${exits.notDirectory}
  exit ${exits.missing}
fi
cd "$1" || exit ${exits.tarFailed}
nl='
'
some() { find . -name '.caisson-${'[0-9a-f]'.repeat(16)}' -prune -o "$@"; }
some -type f ! -path "*$nl*" ! -path '*\\\\*' -exec sha256sum {} + || exit ${exits.tarFailed}
printf '\\0'; some -type f -perm -100 -print0
printf '\\0'; some -type d ! -name . -print0
printf '\\0'; some ! -type d ! -type f -print0
printf '\\0'; some -type f \\( -path "*$nl*" -o -path '*\\\\*' \\) -print0
`;

/** $1 directory; names on stdin, each ended by a NUL. */
const hashScript = `
cd "$1" || exit ${exits.tarFailed}
xargs -0 -r sha256sum --
`;

const makeScript = `
if [ -d "$1" ]; then echo there; else mkdir -p "\${1%/*}/" || exit ${exits.noParent}; fi
`;

/** $1 directory; names on stdin. */
const removeScript = `
cd "$1" || exit ${exits.missing}
xargs -0 -r rm -f --
`;

/** The same of directories. One that is not empty stays. */
const clearScript = `
cd "$1" || exit ${exits.missing}
xargs -0 -r rmdir -- 2>/dev/null || :
`;

/** Some hundred thousand files. */
const mostTold = 16 * 1024 * 1024;

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
  const said = await ran(sandbox, { script: lookScript, args: [directory, must ? 'must' : ''], signal });
  const end = said.indexOf(0);
  const isSeen = (path: ByteName): boolean =>
    withheld === null || !(path === withheld || path.startsWith(`${withheld}/`));
  const hashes = [...parse(said.subarray(0, end < 0 ? said.length : end))].filter(([path]) => isSeen(path));
  const [programs, directories, others, unread] = listsOf(
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
      : parse(await ran(sandbox, { script: hashScript, args: [directory], input: namesOf([...sent.keys()]), signal }));
  const wrong = [...sent].filter(([path, hash]) => found.get(path) !== hash);
  if (wrong.length === 0) return;
  throw new CaissonError('unavailable', `${wrong.length} files did not arrive as they were sent`, {
    remedy: 'try again; something in the sandbox may be writing them too',
  });
}

/** Makes what is above the directory. Whether it is there itself. */
export async function makeInside(sandbox: Sandbox, directory: string, options: InsideOptions): Promise<boolean> {
  const said = await ran(sandbox, { script: makeScript, args: [directory], signal: options.signal });
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
  if (files.length > 0) await ran(sandbox, { script: removeScript, args, input: namesOf(files), signal });
  if (directories.length > 0) await ran(sandbox, { script: clearScript, args, input: namesOf(directories), signal });
}

async function ran(sandbox: Sandbox, run: Parameters<typeof runTool>[1]): Promise<Buffer> {
  const { bytes, failure } = await runTool(sandbox, { most: mostTold, ...run });
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

function listsOf(said: Buffer): readonly [Names, Names, Names, Names] {
  const lists: ByteName[][] = [[]];
  for (const name of said.toString('latin1').split('\0')) {
    if (name === '') lists.push([]);
    else if (name.startsWith('./')) lists.at(-1)?.push(name.slice(2));
  }
  const [a = [], b = [], c = [], d = []] = lists;
  return [a, b, c, d];
}
