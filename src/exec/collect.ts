import { finished } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import type { Exit, StreamSummary } from '../values/exit.ts';
import { Ear, type Hearing, withNotes } from './heard.ts';
import type { Execution, KeptStream } from './types.ts';
import type { StreamName } from '../values/exec-event.ts';
import { HeadTailWindow } from './window.ts';

export interface Collected {
  /** Exit that the execution reported, with `truncated` also true for bytes that the texts lack. */
  readonly exit: Exit;
  readonly stdout: KeptStream;
  readonly stderr: KeptStream;
}

interface Collecting extends Hearing {
  readonly keepBytes: number;
}

/** Reads an exec to its end and keeps at most `keepBytes` of each stream: its beginning and its end. */
export async function collect(execution: Execution, { keepBytes, onStdout, onStderr }: Collecting): Promise<Collected> {
  const ears = {
    stdout: onStdout === undefined ? null : new Ear('onStdout', onStdout),
    stderr: onStderr === undefined ? null : new Ear('onStderr', onStderr),
  };
  const keeping = (name: StreamName): Promise<KeptStream> => keep(execution[name], keepBytes, ears[name]);
  const [ended, stdout, stderr] = await Promise.all([execution.exit, keeping('stdout'), keeping('stderr')]);
  const exit = withNotes(ended, [ears.stdout?.note ?? null, ears.stderr?.note ?? null]);
  return {
    exit: { ...exit, stdout: summary(exit.stdout, stdout), stderr: summary(exit.stderr, stderr) },
    stdout,
    stderr,
  };
}

async function keep(stream: Readable, keepBytes: number, ear: Ear | null): Promise<KeptStream> {
  const window = new HeadTailWindow(keepBytes);
  if (ear === null) stream.on('data', (chunk: Buffer) => window.write(chunk));
  else return await keepHeard(stream, window, ear);
  await finished(stream, { writable: false });
  return window.read();
}

async function keepHeard(stream: AsyncIterable<Buffer>, window: HeadTailWindow, ear: Ear): Promise<KeptStream> {
  for await (const chunk of stream) {
    window.write(chunk);
    await ear.take(chunk);
  }
  return window.read();
}

function summary(reported: StreamSummary, kept: KeptStream): StreamSummary {
  return { ...reported, truncated: reported.truncated || kept.truncated };
}
