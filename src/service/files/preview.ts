/** What a write would change, for the person who is asked about it. */
import { hash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { Sandbox } from '../../backend.ts';
import { CaissonError } from '../../errors.ts';
import { parseRead } from '../../files/tools/parse.ts';
import { applyChange, type Change } from '../../files/tools/patch.ts';
import { runTool } from '../../files/tools/run.ts';
import { longestSize } from '../../files/tools/tools.ts';
import type { FileTools } from '../api.ts';
import type { Preview } from '../../guard/call.ts';
import { type Side, shownDiff } from '../../policy/approval/diff.ts';
import { shownCommand } from '../../policy/approval/display.ts';

/** Most bytes of a file that is compared line by line. */
const maxCompared = 1024 * 1024;

/** What the file holds afterwards. Throws a CaissonError where the change does not apply to what is there. */
export type After = (before: Side | null) => Promise<Side>;

interface PreviewTarget {
  readonly sandbox: Sandbox;
  /** Links followed. */
  readonly path: string;
  /** A directory inside whose files are not shown. */
  readonly withheld: string;
  readonly signal: AbortSignal | undefined;
}

/** What is wrong with the file or the change is for the person to see; the write itself fails by it later. */
export async function previewOf(
  place: PreviewTarget,
  { after, redact }: { readonly after: After; readonly redact: (text: string) => string },
): Promise<Preview> {
  const found = await fileAt(place);
  if (found instanceof CaissonError) return { diff: notShown(found), before: null };
  const before = found === null ? 'none' : found.sha256;
  try {
    return { diff: shownDiff(found, await after(found), redact), before };
  } catch (error) {
    if (!(error instanceof CaissonError)) throw error;
    return { diff: notShown(error), before };
  }
}

const notShown = ({ message }: CaissonError): string => `not shown: ${shownCommand(message).display}`;

/** `null`: no file has this path. */
async function fileAt(place: PreviewTarget): Promise<Side | CaissonError | null> {
  const { bytes: said, failure } = await read(place, String(maxCompared), maxCompared);
  if (failure?.code === 'not_found') return null;
  if (failure !== null) return failure;
  const { size, bytes } = parseRead(said);
  if (size > maxCompared) return await largeFileAt(place);
  return bytes.length === size ? sideOf(bytes) : new CaissonError('conflict', `${place.path} changes while it is read`);
}

/** Its digest alone, which the sandbox computes. */
async function largeFileAt(place: PreviewTarget): Promise<Side | CaissonError> {
  const { bytes: said, failure } = await read(place, 'digest', 128);
  if (failure !== null) return failure;
  const { size, bytes } = parseRead(said);
  const [sha256] = /^[0-9a-f]{64}/.exec(bytes.toString('latin1')) ?? [];
  return sha256 === undefined
    ? new CaissonError('unavailable', `the sandbox gives no SHA-256 of ${place.path}`)
    : { size, sha256, bytes: null };
}

const read = async ({ sandbox, path, withheld, signal }: PreviewTarget, what: string, max: number) =>
  await runTool(sandbox, {
    script: 'read',
    args: [path, '1', what, withheld],
    max: max + longestSize,
    real: true,
    signal,
  });

const sideOf = (bytes: Buffer): Side => ({ size: bytes.length, sha256: hash('sha256', bytes), bytes });

export const written =
  (bytes: Parameters<FileTools['write']>[0]['bytes']): After =>
  async () => {
    if (typeof bytes === 'string' || ArrayBuffer.isView(bytes)) return compared(sideOf(Buffer.from(bytes)));
    const { size, sha256, open } = bytes;
    return { size, sha256, bytes: size > maxCompared ? null : await buffer(open()) };
  };

export const patched =
  (change: Change): After =>
  async (before) => {
    if (before?.bytes === null)
      throw new CaissonError('invalid_argument', `${before.size} bytes are too much to be compared`);
    if (before === null) throw new CaissonError('not_found', 'there is no such file to be patched');
    return compared(sideOf(Buffer.from(await applyChange(before.bytes.toString(), change))));
  };

const compared = (side: Side): Side => (side.size > maxCompared ? { ...side, bytes: null } : side);
