/**
 * The text of a lane: a POSIX shell that reads one request at a time and runs each in a child of its own.
 *
 * It must behave the same in busybox ash, dash and bash, and must not let a command see that it ran in a lane: the
 * child is a session leader with 0, 1 and 2 open and nothing else, its environment is the image's plus the request's,
 * and what the shell itself would say ("Killed", "Segmentation fault") goes nowhere.
 *
 * Descriptors 8 and 9 are the true stdout and stderr; the shell's own 1 and 2 are /dev/null.
 *
 * The text comes by stdin, and that of a child that stands ready by a pipe: arguments are for `ps` and `pgrep -f`, which are to
 * show the commands of the caller, and not a page of shell text for each lane. Nonces travel in halves: `halves.ts`.
 *
 * A request is one line that ends in " #.": a torn line, left by a service that died while writing, is skipped without
 * being parsed. A long one is announced as "B LENGTH ." and read as a block, since `read` takes a system call a byte.
 * Processes born during an exec that hold 8 or 9 are reported by pid, and "?PID" when that could not be seen, which is
 * mostly a process that is just ending: it is asked for again. A look at all processes is for execs that ran so long
 * that pids may have come round; those of others, which cannot be looked into, are passed over then. The lane's own
 * ancestors always are: who started it may be here too, at the other end of the same pipes. Threads have numbers of the
 * same kind, and what they hold is their process's: one that an older process has begun meanwhile is not a process.
 *
 * A lane that gets the request to stand ready starts the child ahead: a shell that leads its own session already, reads the request
 * itself and becomes the command, so that only this last step is waited for. It takes the request that has its tag, and no
 * other: what was meant for a child that is gone runs nowhere. When a child was killed, it is not known how much of a line it
 * had read, so that the lane ends too. At the end of input it says so by a signal, since any status may be a command's.
 * It may have stood for long before its command came, and all processes that were born meanwhile are looked at: so it
 * stands only where they are the sandbox's own, which is where the lane was started from outside or by the first process
 * (PPID 0 or 1). When pids may have come round meanwhile, at 16,384 a second, the look is at all processes. How many there
 * are is not for `read`: the kernel gives that number to the first call alone, and most shells ask for a byte at a time.
 * Not every shell becomes the command as setsid does. bash sets SHLVL. A busybox that prefers its own programs to those
 * on PATH runs some of them without starting them, so that they would not carry the id of the exec: it is given the path
 * of the program, and its name by `exec -a`.
 *
 * LC_ALL=C keeps `read` from changing bytes that are no UTF-8. Names have a prefix that no image exports.
 */
import { fed, type FedCommand, insertedIn, scriptOf } from '../../inside/script.ts';
import { halvesOf } from './halves.ts';

/** Below which a lane never ends by itself: three beats of `beats.ts`, and the way there. */
const boundSeconds = 20;

/**
 * A lane, to be started with a stdin. `bounded`: it ends by itself when no line has come for a while, where no kernel closes
 * its input when this process has died.
 */
export function laneStart(nonce: string, { bounded = false }: { readonly bounded?: boolean } = {}): FedCommand {
  const lane = scriptOf('lanes/find', 'lanes/holders', 'lanes/become', 'lanes/ticker', 'lanes/lane');
  const seconds = bounded ? boundSeconds : 0;
  return fed('lane', `set -- ${halvesOf(nonce)} ${seconds}\n${insertedIn(lane, { ready: readyText() })}`);
}

/** What the pipe of a child holds at once, so that the shell needs no process to fill it: PIPE_BUF of Linux. */
export const longestReadyText = 4096;

export function readyText(): string {
  return scriptOf('lanes/find', 'lanes/become', 'lanes/ready');
}
