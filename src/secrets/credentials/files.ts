/**
 * Keeps the credential files of sandboxes as they are on this host: looked at before each command, placed or removed only
 * when something changed. Where nothing is declared that costs nothing, else one stat(2) a file and one for the record.
 */
import { CaissonError } from '../../errors.ts';
import { copyFile, type CopyPlace, removeCopies } from './copied.ts';
import {
  type CredentialRecord,
  type PlacedFile,
  readRecord,
  recordStamp,
  shownDirectory,
  writeRecord,
} from './record.ts';
import { hideFile, showFile } from './shown.ts';
import type { CredentialContent, CredentialSource } from './source.ts';
import { existsSync } from 'node:fs';

export interface CredentialPlace extends CopyPlace {
  readonly sandboxId: string;
  readonly mode: 'bind' | 'copy';
}

/** Paths below the state directory. */
export interface CredentialWish {
  readonly configured: readonly string[];
  readonly bySkills: readonly string[];
}

export interface CredentialState {
  /** Directory of the files inside the sandbox. `null`: it has no credential files. */
  readonly directory: string | null;
  /** Declared, and not there. */
  readonly missing: readonly string[];
}

export interface CredentialOptions {
  /** The state directory. */
  readonly home: string;
  readonly source: CredentialSource;
  /** One at a time for a sandbox, over all processes. */
  readonly locked: <T>(sandboxId: string, work: () => Promise<T>) => Promise<T>;
  /** Called with each content before a command can see it. */
  readonly seen: (path: string, bytes: Uint8Array) => void;
}

interface PlacedFiles {
  readonly record: string | null;
  /** Stamps of the sources, by path; `null` for one that was not there. */
  readonly stamps: ReadonlyMap<string, string | null>;
  readonly state: CredentialState;
}

const nothing: PlacedFiles = { record: null, stamps: new Map(), state: { directory: null, missing: [] } };

export class CredentialFiles {
  readonly #options: CredentialOptions;
  readonly #known = new Map<string, PlacedFiles>();

  constructor(options: CredentialOptions) {
    this.#options = options;
  }

  /** Throws `invalid_argument` for a file that may not be shown, `conflict` where the sandbox has no place for it. */
  before(place: CredentialPlace, wish: CredentialWish): CredentialState | Promise<CredentialState> {
    const known = this.#known.get(place.sandboxId) ?? this.#first(place.sandboxId, wish);
    if (known !== null && this.#holds(place.sandboxId, known, wish)) return known.state;
    return this.#options.locked(place.sandboxId, () => this.#renew(place, wish));
  }

  /** `null` when there may be something to do. */
  #first(sandboxId: string, wish: CredentialWish): PlacedFiles | null {
    const wanted = wish.configured.length + wish.bySkills.length;
    if (wanted > 0 || recordStamp(this.#options.home, sandboxId) !== null) return null;
    this.#known.set(sandboxId, nothing);
    return nothing;
  }

  #holds(sandboxId: string, { record, stamps }: PlacedFiles, { configured, bySkills }: CredentialWish): boolean {
    const { home, source } = this.#options;
    if (![...configured, ...bySkills].every((path) => stamps.has(path))) return false;
    if (stamps.size > 0 && recordStamp(home, sandboxId) !== record) return false;
    for (const [path, stamp] of stamps) if (source.stampOf(path) !== stamp) return false;
    return true;
  }

  async #renew(place: CredentialPlace, wish: CredentialWish): Promise<CredentialState> {
    const { home } = this.#options;
    const record = await readRecord(home, place.sandboxId);
    const wanted = wantedOf(record, wish);
    const found = await this.#read(wanted);
    if (found.size > 0) requirePlace(home, place);
    const placed = await this.#place(place, { record, wanted, found });
    const missing = [...wanted.keys()].filter((path) => !found.has(path));
    const state = { directory: found.size === 0 ? null : placed.directory, missing };
    const stamps = new Map([...wanted.keys()].map((path) => [path, found.get(path)?.stamp ?? null]));
    this.#known.set(place.sandboxId, { record: recordStamp(home, place.sandboxId), stamps, state });
    return state;
  }

  async #read(wanted: ReadonlyMap<string, PlacedFile['by']>): Promise<ReadonlyMap<string, CredentialContent>> {
    const found = new Map<string, CredentialContent>();
    for (const path of wanted.keys()) {
      const content = await this.#options.source.read(path);
      if (content === null) continue;
      this.#options.seen(path, content.bytes);
      found.set(path, content);
    }
    return found;
  }

  /** What is about to be there stands in the record before it is, so that nothing is forgotten at the end. */
  async #place(
    place: CredentialPlace,
    what: {
      readonly record: CredentialRecord;
      readonly wanted: ReadonlyMap<string, PlacedFile['by']>;
      readonly found: ReadonlyMap<string, CredentialContent>;
    },
  ): Promise<CredentialRecord> {
    const { home } = this.#options;
    const { record, wanted, found } = what;
    const gone = Object.keys(record.placed).filter((path) => !found.has(path));
    const changed = [...found].filter(([path, { stamp }]) => record.placed[path]?.stamp !== stamp);
    if (gone.length + changed.length === 0) return record;
    const intended = changed.map(([path]) => [path, { stamp: '', by: wanted.get(path) ?? 'skill' }] as const);
    let { directory } = record;
    const placed = { ...record.placed, ...Object.fromEntries(intended) };
    await writeRecord(home, place.sandboxId, { placed, directory: directory ?? place.directory });
    if (gone.length > 0) await remove(home, place, gone);
    for (const [path, { bytes }] of changed) directory = await put(home, place, { path, bytes });
    const entries = [...found].map(([path, { stamp }]) => [path, { stamp, by: wanted.get(path) ?? 'skill' }] as const);
    const done = { placed: Object.fromEntries(entries), directory };
    await writeRecord(home, place.sandboxId, done);
    return done;
  }
}

function wantedOf(record: CredentialRecord, wish: CredentialWish): ReadonlyMap<string, PlacedFile['by']> {
  const earlier = Object.entries(record.placed).filter(([, { by }]) => by === 'skill');
  return new Map<string, PlacedFile['by']>([
    ...earlier.map(([path]) => [path, 'skill'] as const),
    ...wish.bySkills.map((path) => [path, 'skill'] as const),
    ...wish.configured.map((path) => [path, 'config'] as const),
  ]);
}

/** Only what was there when a sandbox was made is shown in it. */
function requirePlace(home: string, { mode, sandboxId }: CredentialPlace): void {
  if (mode === 'copy' || existsSync(shownDirectory(home, sandboxId))) return;
  throw new CaissonError('conflict', 'this sandbox was made before credential files were declared for its task', {
    remedy: 'make it anew with --recreate (its files in /workspace and /root stay)',
  });
}

async function put(
  home: string,
  place: CredentialPlace,
  { path, bytes }: { readonly path: string; readonly bytes: Uint8Array },
): Promise<string> {
  if (place.mode === 'copy') return await copyFile(place, path, bytes);
  await showFile({ home, sandboxId: place.sandboxId }, path, bytes);
  return place.directory;
}

async function remove(home: string, place: CredentialPlace, paths: readonly string[]): Promise<void> {
  if (place.mode === 'copy') await removeCopies(place, paths);
  else for (const path of paths) await hideFile({ home, sandboxId: place.sandboxId }, path);
}
