/**
 * What a sandbox has of credential files, under `<home>/credentials/<sandbox id>`:
 *
 *   files/        what a backend shows inside, where it does
 *   record.json   which files are there and from what state of their sources; never a value
 *
 * Shared by all processes of the state directory: each sees by the stamp of the record that another one has changed it.
 */
import { statSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface PlacedFile {
  /** Stamp of the source at the time it was placed. */
  readonly stamp: string;
  /** What the configuration no longer declares goes; what a skill has declared stays as long as its source. */
  readonly by: 'config' | 'skill';
}

export interface CredentialRecord {
  readonly placed: Readonly<Record<string, PlacedFile>>;
  /** Directory of the files inside the sandbox. `null`: nothing was ever placed. */
  readonly directory: string | null;
}

export const emptyRecord: CredentialRecord = { placed: {}, directory: null };

export function credentialsOf(home: string, sandboxId: string): string {
  return join(home, 'credentials', sandboxId);
}

export function shownDirectory(home: string, sandboxId: string): string {
  return join(credentialsOf(home, sandboxId), 'files');
}

function recordFile(home: string, sandboxId: string): string {
  return join(credentialsOf(home, sandboxId), 'record.json');
}

/** `null`: no record. */
export function recordStamp(home: string, sandboxId: string): string | null {
  const found = statSync(recordFile(home, sandboxId), { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.ino}:${found.ctimeNs}`;
}

export async function readRecord(home: string, sandboxId: string): Promise<CredentialRecord> {
  try {
    const read: unknown = JSON.parse(await readFile(recordFile(home, sandboxId), 'utf8'));
    return isRecord(read) ? read : emptyRecord;
  } catch (error) {
    // Without it everything counts as not placed yet, and is placed anew.
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error && error.code === 'ENOENT'))
      return emptyRecord;
    throw error;
  }
}

function isRecord(value: unknown): value is CredentialRecord {
  return typeof value === 'object' && value !== null && 'placed' in value && 'directory' in value;
}

export async function writeRecord(home: string, sandboxId: string, record: CredentialRecord): Promise<void> {
  const file = recordFile(home, sandboxId);
  await mkdir(credentialsOf(home, sandboxId), { recursive: true, mode: 0o700 });
  await writeFile(`${file}.${process.pid}`, JSON.stringify(record), { mode: 0o600 });
  await rename(`${file}.${process.pid}`, file);
}

/** Removes the record and everything that a backend showed. Idempotent. */
export async function removeCredentials(home: string, sandboxId: string): Promise<void> {
  await rm(credentialsOf(home, sandboxId), { recursive: true, force: true });
}
