import { finished } from 'node:stream/promises';
import type { Readable } from 'node:stream';
import type { Exit, StreamSummary } from './exit.ts';
import type { Execution, KeptStream } from './types.ts';
import { HeadTailWindow } from './window.ts';

export interface Collected {
  /** As the execution reported it, with `truncated` also true for what is not in the texts. */
  readonly exit: Exit;
  readonly stdout: KeptStream;
  readonly stderr: KeptStream;
}

/** Reads an exec to its end and keeps at most `keepBytes` of each stream: its beginning and its end. */
export async function collect(execution: Execution, { keepBytes }: { readonly keepBytes: number }): Promise<Collected> {
  const reading = [keep(execution.stdout, keepBytes), keep(execution.stderr, keepBytes)] as const;
  const [exit, stdout, stderr] = await Promise.all([execution.exit, ...reading]);
  return {
    exit: { ...exit, stdout: summary(exit.stdout, stdout), stderr: summary(exit.stderr, stderr) },
    stdout,
    stderr,
  };
}

async function keep(stream: Readable, keepBytes: number): Promise<KeptStream> {
  const window = new HeadTailWindow(keepBytes);
  stream.on('data', (chunk: Buffer) => window.write(chunk));
  await finished(stream, { writable: false });
  return window.read();
}

function summary(reported: StreamSummary, kept: KeptStream): StreamSummary {
  return { ...reported, truncated: reported.truncated || kept.truncated };
}
