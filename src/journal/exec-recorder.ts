import type { Exit } from '../values/exit.ts';
import type { StreamName } from '../values/exec-event.ts';
import type { FrameType } from './frame.ts';
import { frameTypes } from './frame.ts';
import { encodeExit, encodeExtent, encodeStarted } from './payload.ts';
import type { Entry, FramePosition } from './segment.ts';
import type { SegmentWriter } from './segment-writer.ts';
import type { Spilled } from './spill.ts';
import { Spill } from './spill.ts';
import type { Room } from './spill-room.ts';
import type { Recorder, ExecHeader } from './types.ts';

/** Output beyond this goes to files of its own, so that one exec does not fill the segments that all share. */
const inlineBytes = 256 * 1024;
/** No event is longer. */
const pieceBytes = 256 * 1024;

export interface RecorderOptions {
  readonly entry: Entry;
  readonly writer: SegmentWriter;
  readonly spillDirectory: string;
  readonly spillBytes: number;
  /** Room that all execs of the owner share. */
  readonly room: Room;
  /** Its first frame is in a file. */
  readonly onBegun: (place: FramePosition) => void;
  /** Its last one is. */
  readonly onExit: (place: FramePosition) => void;
  readonly onEnded: () => void;
}

/** Gives the frames of one exec their numbers and offsets, and sends its output where it belongs. */
export class ExecRecorder implements Recorder {
  readonly #options: RecorderOptions;
  readonly #failuresBefore: number;
  #seq = 0;
  /** Streams of which something was left out since the last frame. Each leaves one number free for the gap. */
  readonly #missing = new Set<StreamName>();
  /** Bytes that came, and bytes that the frames so far stand for. They differ by what is on its way to a spill. */
  readonly #came: Record<StreamName, number> = { stdout: 0, stderr: 0 };
  readonly #recorded: Record<StreamName, number> = { stdout: 0, stderr: 0 };
  readonly #left: Record<StreamName, number> = { stdout: 0, stderr: 0 };
  #spill: Spill | null = null;
  #spilled = 0;
  /** What of it is in the files. */
  #settled = 0;
  #full = false;
  /** All records together take what they may, or the disk is nearly full. */
  #noRoom = false;
  #ended = false;

  constructor(options: RecorderOptions, started: ExecHeader) {
    this.#options = options;
    const { entry, writer } = options;
    this.#failuresBefore = writer.failures;
    const placed = (place: FramePosition): void => {
      entry.start = place;
      options.onBegun(place);
    };
    this.#append(frameTypes.started, encodeStarted(entry.execId, started), placed);
    // Intent before effect: the frame is in the page cache before the command starts.
    writer.flush();
  }

  get note(): string | null {
    if (this.#spill?.problem != null) return this.#spill.problem;
    if (this.#noRoom) return 'the rest of its output is not kept: the records take all the space that they may';
    const { writer } = this.#options;
    return writer.failures > this.#failuresBefore ? writer.problem : null;
  }

  get missing(): Readonly<Record<StreamName, number>> {
    return this.#left;
  }

  /** What came so far. */
  get bytes(): Readonly<Record<StreamName, number>> {
    return this.#came;
  }

  write(stream: StreamName, chunk: Uint8Array): Promise<void> | void {
    if (this.#ended) return;
    const total = this.#came.stdout + this.#came.stderr + chunk.length;
    if (this.#spill === null && total <= inlineBytes) return this.#inline(stream, chunk);
    let behind: Promise<void> | void = undefined;
    for (let at = 0; at < chunk.length; at += pieceBytes) {
      behind = this.#toSpill(stream, chunk.subarray(at, at + pieceBytes)) ?? behind;
    }
    return behind;
  }

  async end(exit: Exit): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const { entry, writer, room, onEnded, onExit } = this.#options;
    await this.#spill?.close();
    room.settle(this.#spilled - this.#settled);
    entry.pendingExit = exit;
    // What was counted but did not come this way is missing here too.
    this.#skipTo('stdout', exit.stdout.bytes);
    this.#skipTo('stderr', exit.stderr.bytes);
    this.#append(frameTypes.exit, encodeExit(exit), (place) => {
      entry.exit = place;
      entry.pendingExit = null;
      onExit(place);
    });
    writer.flush();
    onEnded();
  }

  #inline(stream: StreamName, chunk: Uint8Array): void {
    this.#append(frameTypes[stream], chunk);
    this.#came[stream] += chunk.length;
    this.#recorded[stream] += chunk.length;
  }

  #toSpill(stream: StreamName, piece: Uint8Array): Promise<void> | void {
    const offset = this.#came[stream];
    this.#came[stream] += piece.length;
    const wanted = this.#full ? 0 : Math.min(piece.length, this.#options.spillBytes - this.#spilled);
    const room = wanted > 0 ? this.#options.room.take(wanted) : 0;
    this.#noRoom ||= room < wanted;
    const part = piece.subarray(0, room);
    this.#left[stream] += piece.length - part.length;
    // Once something was left out nothing more is kept: a gap at the end is clearer than holes.
    if (this.#full || part.length === 0) {
      this.#full = true;
      return;
    }
    this.#full = part.length < piece.length;
    this.#spilled += part.length;
    this.#spill ??= this.#openSpill();
    return this.#spill.write({ stream, offset, chunk: part });
  }

  #openSpill(): Spill {
    const { entry, spillDirectory } = this.#options;
    return new Spill({
      directory: spillDirectory,
      execId: entry.execId,
      onSpilled: (spilled) => this.#tellSpilled(spilled),
    });
  }

  #tellSpilled({ stream, offset, fileOffset, length }: Spilled): void {
    this.#settled += length;
    this.#options.room.settle(length);
    this.#skipTo(stream, offset);
    this.#append(frameTypes[`${stream}Spill`], encodeExtent({ fileOffset, length }));
    this.#recorded[stream] = offset + length;
  }

  #skipTo(stream: StreamName, offset: number): void {
    if (offset <= this.#recorded[stream]) return;
    this.#recorded[stream] = offset;
    this.#missing.add(stream);
  }

  #append(type: FrameType, payload: Uint8Array, placed?: (place: FramePosition) => void): void {
    this.#seq += 1 + this.#missing.size;
    this.#missing.clear();
    const { entry, writer } = this.#options;
    const time = Date.now();
    entry.lastAt = time;
    const head = {
      type,
      number: entry.number,
      seq: this.#seq,
      time,
      stdoutOffset: this.#recorded.stdout,
      stderrOffset: this.#recorded.stderr,
    };
    writer.append(placed === undefined ? { head, payload } : { head, payload, placed });
  }
}
