/**
 * The identity of a state directory. It is on every resource we ever made, so it must outlive the database: losing it
 * would turn all of Caisson's own resources into foreign ones, which may not be removed. Hence a file of its own, with a copy in
 * the database in case the file is lost.
 */
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { CaissonError } from '../../errors.ts';
import { errnoOf } from './errors.ts';
import { newId } from './id.ts';
import type { Notice } from './notice.ts';

const grammar = /^[a-z0-9]{16}$/;

export interface Instance {
  readonly id: string;
  readonly notices: readonly Notice[];
}

export function instanceOf(file: string, db: DatabaseSync): Instance {
  const kept = copyIn(db);
  const found = readInstance(file);
  if (found.is === 'damaged' && kept === null) throw instanceDamagedError(file);
  if (found.is === 'damaged') unlinkSync(file);
  const id = found.is === 'sound' ? found.id : createInstance(file, kept ?? newId(16));
  if (kept !== id)
    db.prepare(
      `INSERT INTO meta (key, value) VALUES ('instance', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    ).run(id);
  return { id, notices: noticesFor(file, { found, kept, id }) };
}

function noticesFor(
  file: string,
  { found, kept, id }: { found: InstanceFile; kept: string | null; id: string },
): readonly Notice[] {
  if (kept === null) return [];
  if (kept !== id)
    return [
      {
        id: 'instance-differs',
        path: file,
        message: `the database belonged to instance ${kept}; ${file} says ${id}, which counts from now on`,
      },
    ];
  if (found.is === 'sound') return [];
  return [
    {
      id: 'instance-restored',
      path: file,
      message: `${file} was lost or damaged and was written again from the database`,
    },
  ];
}

function copyIn(db: DatabaseSync): string | null {
  const value = db.prepare(`SELECT value FROM meta WHERE key = 'instance'`).get()?.['value'];
  return typeof value === 'string' && grammar.test(value) ? value : null;
}

type InstanceFile = { readonly is: 'sound'; readonly id: string } | { readonly is: 'damaged' | 'absent' };

function readInstance(file: string): InstanceFile {
  try {
    const id = readFileSync(file, 'latin1').trimEnd();
    return grammar.test(id) ? { is: 'sound', id } : { is: 'damaged' };
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return { is: 'absent' };
    throw error;
  }
}

/** The name appears with its whole content at once, and only for one of several processes; the others read it. */
function createInstance(file: string, id: string): string {
  const draft = `${file}.${newId(8)}`;
  try {
    writeDurably(draft, `${id}\n`);
    linkSync(draft, file);
    return id;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    const theirs = readInstance(file);
    if (theirs.is !== 'sound') throw instanceDamagedError(file);
    return theirs.id;
  } finally {
    removeDraft(draft);
  }
}

function writeDurably(path: string, text: string): void {
  const descriptor = openSync(path, 'wx', 0o600);
  try {
    writeSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function removeDraft(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}

function instanceDamagedError(file: string): CaissonError {
  return new CaissonError('failed_precondition', `${file} does not hold an instance id (16 of a-z and 0-9)`, {
    remedy: `put it back from a copy; the id is also the label "instance" of every resource. Only if there are none, delete ${file}`,
    details: { path: file },
  });
}
