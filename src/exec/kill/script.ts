/**
 * The script `kill.sh` finds and signals the tree of one exec from inside its sandbox: POSIX sh, the same in busybox ash,
 * dash and bash.
 *
 * Members of the tree are processes that
 *   - carry `CAISSON_EXEC=<id>` in their environment, wherever they were re-parented,
 *   - descend from a member,
 *   - share the session of a member, unless the leader of that session is alive and no member (it is then the session
 *     of somebody else, such as that of Caisson itself on the local machine),
 *   - were members in an earlier scan (by process id and start time).
 * The watcher of a command on the direct path (`watch.sh`) is one only while no other is left: it reports the end of
 * the others, and before them it is what the command will come from.
 * The script itself and its ancestors never are. What clears its environment, opens a session of its own *and* loses
 * its parent before the first scan is not found: `strays.ts` looks for that.
 *
 * Mode `grep` costs one fork a scan and is quick among many processes. Mode `plain` uses builtins alone, because a full
 * process table is a reason to kill; dash has no `read -d`, drops NUL bytes, and so takes an id that merely begins with
 * ours for ours in that mode.
 *
 * It speaks in lines. `COMMAND NONCE` is answered by `NONCE = COUNT`, preceded by `NONCE PID NAME` lines for `list`.
 * Zombies are dead and do not count. A name is what the process calls itself: hostile.
 */
import { scriptOf } from '../../inside/script.ts';

export const killScript = (): string => scriptOf('kill');
