import type { Sandbox } from '../backend.ts';
import type { Redaction } from '../redact/redactor.ts';
import type { Recorder } from '../journal/types.ts';
import type { Strays } from './kill/strays.ts';
import type { ExecRequest } from './types.ts';
import type { UserSandbox } from './user.ts';
import type { StreamName, Where } from '../values/exec-event.ts';

export interface ExecContext {
  readonly where: Where;
  /** Opened by the caller before the start: intent before effect. `null`: no record is kept. */
  readonly recorder: Recorder | null;
  /** A stream as `recorder` has it, from a byte on and to its end. Absent: streams that are not read hold the command up. */
  readonly recorded?: (name: StreamName, from: number) => AsyncIterable<Uint8Array>;
  /** What takes secrets out of the output. Absent: it stays as it is. */
  readonly redaction?: Redaction | null;
  /** Readers of the streams get them unchanged; the record is without secrets in any case. */
  readonly rawOutput?: boolean;
  /** Before the start it calls the start off; after it, it cancels the exec. */
  readonly signal?: AbortSignal;
  /** Calls the start off, and nothing after it. */
  readonly closing?: AbortSignal;
  /** Asked when a command was killed or lost: which verb ended its sandbox. `null`: none did. */
  readonly endedBy?: () => Promise<string | null>;
  /** Called once when the exec has settled, just before `exit` resolves. Not called when the start failed. */
  readonly onSettled?: () => void;
}

/** What belongs to one running exec, beside its process. */
export interface Watched {
  readonly sandbox: Sandbox & Straying;
  /** The sandbox as the user of the command has it. Absent: as every command has it. */
  readonly place?: UserSandbox;
  readonly request: ExecRequest;
  readonly context: ExecContext;
  /** When the command was sent, by `performance.now()`. Absent: when it was taken over. */
  readonly sentAtMs?: number;
  /** About the way that the command was sent, for its exit. */
  readonly note?: string | null;
}

/** A sandbox that shows what a command has started and hidden. */
export interface Straying {
  readonly strays?: (sentAtMs: number, user?: string) => Strays | null;
}
