/**
 * How an exec ended. One shape for success and failure: a command's outcome is a fact, not an error.
 */

/** The first reason that applied wins; what happened because of it (a SIGKILL after a timeout) does not replace it. */
export type ExitReason =
  | 'exited'
  | 'signaled'
  /** The deadline passed and the tree was killed. */
  | 'timed-out'
  /** The caller ended it. */
  | 'canceled'
  /** It wrote more than it may, and was killed. */
  | 'output-limit'
  /** The kernel killed it, or a part of it, for memory. */
  | 'out-of-memory'
  /** Its end cannot be known: the connection, the sandbox or the service went away. It is never run again by us. */
  | 'lost';

/** A process that was alive after SIGKILL and its grace, or that could not be asked. */
export interface Survivor {
  /** Process id inside the sandbox. */
  readonly pid: number;
  /** Name that the process gave itself: hostile, printable, at most 64 characters. */
  readonly command: string;
}

export interface StreamSummary {
  /** Bytes of the command that arrived here, including those that were not kept. */
  readonly bytes: number;
  /** Whether some of them are missing from the kept head and tail. */
  readonly truncated: boolean;
  /**
   * Whether all that the command wrote arrived here, which is another question than what was kept of it.
   *
   * `true`: proved, by a mark behind the last byte or by the kernel's end of file; never by a clock, and never by a clean
   * end of the engine's stream, which an engine also sends after it has dropped bytes. `false`: the stream was cut before
   * its proved end. `null`: cannot be known. `false` and `null` carry a sentence in `Exit.notes`.
   */
  readonly complete: boolean | null;
}

/** End of a command: one form for execs, texts of sessions and detached processes, on every backend. */
export interface End {
  /** `signaled`: the place reported a signal. Where places report codes alone (containers, lanes), such a death is `exited` with 128+n. */
  readonly reason: ExitReason;
  /** 0 to 255, as a shell shows it: 128+n where signal n ended the command. `null`: its end is not known. */
  readonly exitCode: number | null;
  /** Reported by the place, or read from the code, with which a program may end by itself too (then `signalGuessed`). */
  readonly signal: string | null;
  /** Whether the signal was concluded from an exit code of 128+n. */
  readonly signalGuessed: boolean;
}

export interface Exit extends End {
  /** Milliseconds from the start to the end of the command. */
  readonly durationMs: number;
  /** Counts of standard output. */
  readonly stdout: StreamSummary;
  /** Counts of standard error. */
  readonly stderr: StreamSummary;
  /** A process was seen holding a stream when the command had ended; what it writes later is not kept. */
  readonly backgroundOpen: boolean;
  /** After a kill by Caisson: processes that are still there. `null` when it killed none, or could not look. */
  readonly survivors: readonly Survivor[] | null;
  /** Secrets that were replaced in both streams. `null`: output was not searched. */
  readonly redactions: number | null;
  /** Sentences for people: why it was killed, what could not be verified. */
  readonly notes: readonly string[];
}

/** What a shell would show: the command's own code, 128+n for a signal, 124 for a timeout, 125 for our own failures, 130 for an interrupt. */
export function shellCode(exit: Exit): number {
  if (exit.reason === 'timed-out') return 124;
  if (exit.reason === 'canceled') return 130;
  if (exit.reason === 'lost' || exit.reason === 'output-limit') return 125;
  if (exit.exitCode !== null) return exit.exitCode;
  return exit.signal === null ? 125 : 128 + (signalNumbers[exit.signal] ?? 0);
}

/** Linux, all architectures that Caisson runs on (signal(7)); mips and alpha differ. */
export const signalNumbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGTRAP: 5,
  SIGABRT: 6,
  SIGBUS: 7,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGUSR1: 10,
  SIGSEGV: 11,
  SIGUSR2: 12,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
  SIGSTKFLT: 16,
  SIGCHLD: 17,
  SIGCONT: 18,
  SIGSTOP: 19,
  SIGTSTP: 20,
  SIGTTIN: 21,
  SIGTTOU: 22,
  SIGURG: 23,
  SIGXCPU: 24,
  SIGXFSZ: 25,
  SIGVTALRM: 26,
  SIGPROF: 27,
  SIGWINCH: 28,
  SIGIO: 29,
  SIGPWR: 30,
  SIGSYS: 31,
};
