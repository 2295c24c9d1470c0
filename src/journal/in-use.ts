/** Which files a live process still writes, or needs for an exec that runs. */
import { everyRow } from '../store/pages.ts';
import { type Records, runningPosition, segmentPosition, type SegmentRow } from '../store/records.ts';
import type { StoredFile } from './expire.ts';
import type { Entry, Segment } from './segment.ts';
import type { Segments } from './segments.ts';

interface Running {
  readonly execId: string;
  /** Segment in which its record begins. */
  readonly segment: Pick<Segment, 'writer' | 'n'> | null;
}

export interface Use {
  readonly running: readonly Running[];
  /** Segments that live processes write to now. */
  readonly written: ReadonlySet<string>;
  /** Segments by the name of their file. */
  readonly segments: ReadonlyMap<string, Pick<Segment, 'writer' | 'n'>>;
}

export function inUse({ running, written, segments }: Use): (file: StoredFile) => boolean {
  const spills = new Set(running.map(({ execId }) => execId));
  return ({ name }) => {
    const segment = segments.get(name);
    if (segment === undefined) return spills.has(name.replace(/\.(?:stdout|stderr)$/, ''));
    if (written.has(name)) return true;
    return running.some(({ segment: start }) => start?.writer === segment.writer && start.n <= segment.n);
  };
}

/** Reads which execs run and which segments are written now. `own`: execs of this process. */
export async function readUse(records: Records, files: Segments, own: readonly Entry[]): Promise<Use> {
  const isWritten = (name: string): boolean => {
    const segment = files.named(name);
    return segment !== null && files.isWriterAlive(segment);
  };
  const rows = await Array.fromAsync(everyRow((page) => records.segments(page), segmentPosition));
  const segments = new Map(rows.map((row) => [row.name, row]));
  const begun = everyRow((page) => records.running(page), runningPosition);
  const others = (await Array.fromAsync(begun)).filter(({ start }) => isWritten(start.segment));
  const changing = everyRow((page) => records.segments({ incomplete: true, ...page }), segmentPosition);
  const incomplete = (await Array.fromAsync(changing)).filter(({ name }) => isWritten(name));
  return {
    segments,
    running: [
      ...own.map(({ execId, start }) => ({ execId, segment: start?.segment ?? null })),
      ...others.map(({ execId, start }) => ({ execId, segment: segments.get(start.segment) ?? null })),
    ],
    written: new Set(newestOfEach(incomplete).map(({ name }) => name)),
  };
}

function newestOfEach(segments: readonly SegmentRow[]): readonly SegmentRow[] {
  return [...Map.groupBy(segments, ({ writer }) => writer).values()].flatMap(
    (each) => each.toSorted((a, b) => a.n - b.n).at(-1) ?? [],
  );
}
