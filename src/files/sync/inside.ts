/** The sandbox's side of a sync: what its files hold, by its own word. A lie of it harms nobody but itself. */
import { isUtf8 } from 'node:buffer';
import type { Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import type { ByteName } from '../byte-name.ts';
import { toBytes } from '../byte-name.ts';
import { checkName } from '../entry-name.ts';
import { withDefaults } from '../limits.ts';
import { exits } from '../scripts.ts';
import { runTool } from '../tools/run.ts';
import type { Hashes } from './plan.ts';

/** $1 directory, $2 `some` for those whose names come on stdin, each ended by a NUL; otherwise all below it. */
const hashScript = `
[ -d "$1" ] || exit 0
cd "$1" || exit ${exits.tarFailed}
if [ -n "$2" ]; then xargs -0 -r sha256sum --; else find . -type f -exec sha256sum {} + ; fi
`;

const makeScript = `
if [ -d "$1" ]; then echo there; else mkdir -p "\${1%/*}/" || exit ${exits.noParent}; fi
`;

/** $1 directory; names on stdin. */
const removeScript = `
cd "$1" || exit ${exits.missing}
xargs -0 -r rm -f --
`;

/** Names with a newline or a backslash are left out: nobody can tell what the tools make of them. */
const line = /^([0-9a-f]{64}) [ *]\.\/(.+)$/;

export interface InsideOptions {
  readonly signal?: AbortSignal | undefined;
  /** A directory below it that is not looked at. */
  readonly withheld?: ByteName | null;
}

export async function hashesInside(sandbox: Sandbox, directory: string, options: InsideOptions): Promise<Hashes> {
  const all = parse(
    await ran(sandbox, { script: hashScript, args: [directory, ''], ...options }),
    options.withheld ?? null,
  );
  // Files are asked for by text: one of another name would end the whole sync.
  return new Map([...all].filter(([path]) => isUtf8(toBytes(path))));
}

/** Throws `unavailable` when a file does not hold what was sent. */
export async function verifyInside(
  sandbox: Sandbox,
  directory: string,
  { sent, signal }: { readonly sent: Hashes; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  if (sent.size === 0) return;
  // Input takes the sandbox's own exec, which costs as much as a thousand files.
  const some = { script: hashScript, args: [directory, 'some'] as const, input: namesOf([...sent.keys()]) };
  const run = sent.size > 1000 ? { script: hashScript, args: [directory, ''] as const } : some;
  const found = parse(await ran(sandbox, { ...run, args: [...run.args], signal }), null);
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

export async function removeInside(
  sandbox: Sandbox,
  directory: string,
  { paths, signal }: { readonly paths: readonly ByteName[]; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  if (paths.length > 0) await ran(sandbox, { script: removeScript, args: [directory], input: namesOf(paths), signal });
}

async function ran(sandbox: Sandbox, run: Parameters<typeof runTool>[1]): Promise<Buffer> {
  const { bytes, failure } = await runTool(sandbox, run);
  if (failure !== null) throw failure;
  return bytes;
}

function namesOf(paths: readonly ByteName[]): Buffer {
  return Buffer.concat(paths.map((path) => toBytes(`./${path}\0`)));
}

function parse(said: Buffer, withheld: ByteName | null): Hashes {
  const limits = withDefaults();
  const found = new Map<ByteName, string>();
  for (const each of said.toString('latin1').split('\n')) {
    const [, hash, path] = line.exec(each) ?? [];
    if (hash === undefined || path === undefined || !checkName(path, limits).ok) continue;
    if (withheld === null || !(path === withheld || path.startsWith(`${withheld}/`))) found.set(path, hash);
  }
  return found;
}
