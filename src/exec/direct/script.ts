/**
 * The shell that watches one command on the direct path: it starts the command in a child, and prints a mark behind the
 * last byte of it. A service that carries the streams may drop bytes and still end them cleanly; it cannot drop bytes and
 * deliver the mark that follows them.
 *
 *   $1        nonce of the marks, in halves. The command can read it in the memory of its parent, and so only lie about output
 *             of its own: the status is the place's word, and a mark that bytes follow was data
 *   $2        `y`: stdin is the caller's, who ends it when it has the marks. The place drops what is left of the streams of a process
 *             that has ended, so that the watcher lives until then, for half a minute at most
 *   $3        working directory. It is entered here and never given to the service, which would follow links in it
 *   $4 ...    variables as NAME=VALUE, which are set for the command alone; then `--` and the command, or `-e PROGRAM NAME=VALUE
 *             ... PROGRAM ...` where env(1) has to set variables that shells keep for themselves
 *   CAISSON_EXEC  `watch-` and the id of the exec; the command itself has the id
 *
 * The opening mark is `NONCE+ PID.BORN;` (pid and start time of the child, proc_pid_stat(5)), `NONCE-;` where the
 * directory cannot be entered, `NONCE127 ...;` or `NONCE126 ...;` where there is no such program. The closing marks are
 * those of lanes. Signals that end a tree politely reach the command; the watcher stays to report the end.
 *
 * The same in busybox ash, dash and bash.
 */
import { scriptOf } from '../../inside/script.ts';

export const directScript = (): string => scriptOf('lanes/find', 'lanes/holders', 'watch');
