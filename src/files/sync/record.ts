/** What both sides of a sync had last: `<home>/sync/<sandbox id>/<hash of the two directories>.json`. */
import { hash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteName } from '../byte-name.ts';
import type { Known } from './host.ts';

export interface SyncPlace {
  readonly home: string;
  readonly sandboxId: string;
  readonly host: string;
  readonly inside: string;
}

export type Agreed = ReadonlyMap<ByteName, Known>;

const directoryOf = (home: string, sandboxId: string): string => join(home, 'sync', sandboxId);

function fileOf({ home, sandboxId, host, inside }: SyncPlace): string {
  return join(directoryOf(home, sandboxId), `${hash('sha256', `${host}\0${inside}`).slice(0, 32)}.json`);
}

/** Without a record nothing is agreed on: whatever differs at the target is a conflict. */
export async function readAgreed(place: SyncPlace): Promise<Agreed> {
  try {
    const read: unknown = JSON.parse(await readFile(fileOf(place), 'utf8'));
    return new Map(Array.isArray(read) ? read.filter(isPair) : []);
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return new Map();
    throw error;
  }
}

function isPair(value: unknown): value is [ByteName, Known] {
  if (!Array.isArray(value) || typeof value[0] !== 'string') return false;
  const known: unknown = value[1];
  return typeof known === 'object' && known !== null && 'sha256' in known && 'stamp' in known;
}

export async function writeAgreed(place: SyncPlace, agreed: Agreed): Promise<void> {
  const file = fileOf(place);
  await mkdir(directoryOf(place.home, place.sandboxId), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.${process.pid}`, JSON.stringify([...agreed]), { mode: 0o600 });
  await rename(`${file}.${process.pid}`, file);
}

export async function removeAgreed(home: string, sandboxId: string): Promise<void> {
  await rm(directoryOf(home, sandboxId), { recursive: true, force: true });
}
