import type { ExecEvent, StreamName } from '../values/exec-event.ts';
import type { Frame } from './frame.ts';

/** How far the events of one exec have been delivered. */
export interface Position {
  readonly seq: number;
  readonly stdout: number;
  readonly stderr: number;
}

/**
 * The events for what is missing before a frame: bytes that were never kept, or frames that were damaged. A writer that
 * leaves something out leaves a number free for each stream, and damaged frames had numbers of their own, so that every
 * gap has one and resuming from any number gives the same events.
 */
export function gapsBefore(frame: Frame, delivered: Position, execId: string): ExecEvent[] {
  const streams = (['stdout', 'stderr'] satisfies StreamName[]).filter(
    (stream) => frame[`${stream}Offset`] > delivered[stream],
  );
  const at = new Date(frame.time).toISOString();
  return streams.map((stream, index) => {
    const seq = frame.seq - streams.length + index;
    return { execId, seq, at, event: { type: 'gap', stream, bytes: frame[`${stream}Offset`] - delivered[stream] } };
  });
}
