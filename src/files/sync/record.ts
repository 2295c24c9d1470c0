/** What both sides of a sync had last: `<home>/sync/<sandbox id>/<hash of the two directories>.json`. */
import { hash, randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteName } from '../byte-name.ts';
import { fsError } from '../fs-error.ts';
import type { HashedFile } from './host.ts';
import type { Hashes } from './plan.ts';

export interface SyncPlace {
  readonly home: string;
  readonly sandboxId: string;
  readonly host: string;
  readonly inside: string;
}

type Direction = 'in' | 'out';

interface Last extends HashedFile {
  /** Written before anything goes: what may be at the target although its sync has not ended. */
  readonly placing?: { readonly direction: Direction; readonly sha256: string };
}

/** Last state that both sides agreed on. A file that both never had has an empty hash. */
export type Agreed = ReadonlyMap<ByteName, Last>;

const directoryOf = (home: string, sandboxId: string): string => join(home, 'sync', sandboxId);

function fileOf({ home, sandboxId, host, inside }: SyncPlace): string {
  return join(directoryOf(home, sandboxId), `${hash('sha256', `${host}\0${inside}`).slice(0, 32)}.json`);
}

export function agreedIn(last: Agreed): Hashes {
  return new Map([...last].flatMap(([path, { sha256 }]) => (sha256 === '' ? [] : [[path, sha256] as const])));
}

export function placedIn(last: Agreed, direction: Direction): Hashes {
  return new Map(
    [...last].flatMap(([path, { placing }]) =>
      placing?.direction === direction ? [[path, placing.sha256] as const] : [],
    ),
  );
}

export function placing(last: Agreed, direction: Direction, sent: Hashes): Agreed {
  const unknown = { sha256: '', stamp: '' };
  const now = [...sent].map(([path, sha256]): readonly [ByteName, Last] => [
    path,
    { ...(last.get(path) ?? unknown), placing: { direction, sha256 } },
  ]);
  return new Map([...last, ...now]);
}

/** Without a record nothing is agreed on: whatever differs at the target is a conflict. */
export async function readAgreed(place: SyncPlace): Promise<Agreed> {
  try {
    const read: unknown = JSON.parse(await readFile(fileOf(place), 'utf8'));
    return new Map(Array.isArray(read) ? read.filter(isPair) : []);
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return new Map();
    throw fsError('read what was synced last', error);
  }
}

function isPair(value: unknown): value is [ByteName, Last] {
  if (!Array.isArray(value) || typeof value[0] !== 'string') return false;
  const known: unknown = value[1];
  return typeof known === 'object' && known !== null && 'sha256' in known && 'stamp' in known;
}

export async function writeAgreed(place: SyncPlace, agreed: Agreed): Promise<void> {
  const file = fileOf(place);
  const next = `${file}.${randomBytes(8).toString('hex')}`;
  try {
    await mkdir(directoryOf(place.home, place.sandboxId), { recursive: true, mode: 0o700 });
    await writeFile(next, JSON.stringify([...agreed]), { mode: 0o600 });
    await rename(next, file);
  } catch (error) {
    await rm(next, { force: true });
    throw fsError('keep what was synced', error);
  }
}

export async function removeAgreed(home: string, sandboxId: string): Promise<void> {
  await rm(directoryOf(home, sandboxId), { recursive: true, force: true });
}
