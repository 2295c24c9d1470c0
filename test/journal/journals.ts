import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openJournal } from '../../src/journal/journal.ts';
import type { Journal, JournalOptions, ReadOptions, Recorder } from '../../src/journal/types.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import { bounds, storeOf } from './stores.ts';
import type { ExecEvent, StreamName } from '../../src/values/exec-event.ts';
import { where } from '../exec/requests.ts';

export const started = { command: ['echo', 'hi'], cwd: '/', where };

export function newDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), 'caisson-journal-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  mkdirSync(join(path, 'journal'));
  return join(path, 'journal');
}

export function segmentsIn(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.seg'))
    .map((name) => join(directory, name));
}

/** Opens a journal and the store beside it, which each process opens for itself. */
export async function openAt(directory: string, changes: Partial<JournalOptions> = {}): Promise<Journal> {
  const { store } = await openStore(storeOf(directory));
  onTestFinished(async () => await store.close());
  const journal = await openJournal(directory, { ...bounds, holder: 'test', records: store.records, ...changes });
  const close = journal.close.bind(journal);
  journal.close = async () => {
    await close();
    await store.close();
  };
  return journal;
}

export interface Chunk {
  readonly stream: StreamName;
  readonly bytes: Uint8Array;
}

/** Writes as a command does: waiting when it is asked to. */
export async function writeAll(recorder: Recorder, chunks: readonly Chunk[]): Promise<void> {
  for (const { stream, bytes } of chunks) await recorder.write(stream, bytes);
}

export function totals(chunks: readonly Chunk[]): Record<StreamName, number> {
  const sum = (name: StreamName): number =>
    chunks.reduce((total, { stream, bytes }) => total + (stream === name ? bytes.length : 0), 0);
  return { stdout: sum('stdout'), stderr: sum('stderr') };
}

export async function eventsOf(journal: Journal, execId: string, options: ReadOptions = {}): Promise<ExecEvent[]> {
  return await Array.fromAsync(journal.read(execId, options));
}

/** A stream as its events tell it; bytes of a gap are shown as `·`. */
export function streamOf(events: readonly ExecEvent[], stream: StreamName): Buffer {
  return Buffer.concat(
    events.map(({ event }) => {
      if (event.type === stream) return Buffer.from(event.bytes);
      return event.type === 'gap' && event.stream === stream ? Buffer.alloc(event.bytes, 0xb7) : Buffer.alloc(0);
    }),
  );
}
