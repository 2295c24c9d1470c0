/**
 * The text of a lane: a POSIX shell that reads one request at a time and runs each in a child of its own.
 *
 * It must behave the same in busybox ash, dash and bash, and must not let a command see that it ran in a lane: the
 * child is a session leader with 0, 1 and 2 open and nothing else, its environment is the image's plus the request's,
 * and what the shell itself would say ("Killed", "Segmentation fault") goes nowhere.
 *
 *   fd 8, 9    the true stdout and stderr. The shell's own 1 and 2 are /dev/null.
 *   $1         start nonce, answered once on both streams with the shell's pid, and "+" where it can stand ready
 *   exit 77    end of input; exit 78: no setsid here, so no lane, which is answered too: a guardian keeps the streams open
 *
 * A request is one line that ends in " #.": a torn line, left by a service that died while writing, is skipped without
 * being parsed. A long one is announced as "B LENGTH ." and read as a block, since `read` takes a system call a byte.
 * Processes born during an exec that hold 8 or 9 are reported by pid, and "?PID" when that could not be seen, which is
 * mostly a process that is just ending: it is asked for again. A look at all processes is for execs that ran so long
 * that pids may have come round; those of others, which cannot be looked into, are passed over then. The lane's own
 * ancestors always are: who started it may be here too, at the other end of the same pipes. Threads have numbers of the
 * same kind, and what they hold is their process's: one that an older process has begun meanwhile is no process.
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

import { findFunctions, holderFunctions, lastPid, noDirectory, sinceFunction } from './functions.ts';

/** `end`: what happens at the end of input. */
const readRequests = (end: string): string => `
while IFS= read -r _cz_L; do
case $_cz_L in B\\ *\\ .) _cz_x=\${_cz_L#B }; _cz_L=$(head -c "\${_cz_x% .}");; esac
case $_cz_L in *\\ \\#.) eval "$_cz_L";; esac
done
${end}exit 77`;

/** From the directory on: environment and command, in a process of its own. */
const become = `unset SHLVL OLDPWD PWD
case $_cz_l in x*) LC_ALL=\${_cz_l#x};; *) unset LC_ALL;; esac
while case $1 in --|-e) false;; esac; do export "$1"; shift; done
case $1 in -e) _cz_begin "$2"; shift 2;; *) shift; _cz_begin "$1";; esac`;

/** What a command that stood ready is given, and nothing else. */
const streams = '</dev/null >&8 2>&9 8>&- 9>&-';

/** Holds no single quote: it stands between two of them. */
const readyScript = `_cz_k=$1 _cz_l=$2 _cz_e=$3 _cz_a=$4 LC_ALL=C _cz_n="
"
${findFunctions}
_cz_now() {
[ "$1" = "$_cz_k" ] || return 0
_cz_N=$2
if ! cd -- "$3"; then ${noDirectory}; exit 126; fi
shift 3; ${become}
case $_cz_a$1 in
-a*/*) ;;
-a*) _cz_q=$1; shift; exec -a "$_cz_q" "$_cz_f" "$@" ${streams};;
esac
exec "$@" ${streams}; }${readRequests('kill -USR1 $PPID; ')}`;

export const laneScript = `
_cz_l=\${LC_ALL+x$LC_ALL} LC_ALL=C _cz_n='
'
${findFunctions}
_cz_find setsid; _cz_s=$_cz_f; _cz_find env; _cz_e=$_cz_f; _cz_find sh; _cz_o=$_cz_f
[ -x "$_cz_s" ] || { printf %s "$1:-;"; exit 78; }
exec 8>&1 9>&2 >/dev/null 2>&1
_cz_run() {
_cz_N=$1
if ! cd -- "$2"; then _cz_h= _cz_r=126; ${noDirectory}
else shift 2; ${lastPid('_cz_b')}
( ${become}
exec "$_cz_s" -- "$@" >&8 2>&9 8>&- 9>&- ) </dev/null
_cz_r=$?; _cz_idle; fi
cd /; _cz_end; }
_cz_t='${readyScript}'
_cz_ready() {
_cz_N=$2; _cz_since; _cz_v=$_cz_x
${lastPid('_cz_b')}
( exec "$_cz_s" "$_cz_o" -c "$_cz_t" sh "$1" "$_cz_l" "$_cz_e" "$_cz_a" )
_cz_r=$?; [ -n "$_cz_g" ] || exit 77; _cz_since; if [ -n "$_cz_v" ] && [ -n "$_cz_x" ] && [ $((_cz_x-_cz_v)) -lt "$_cz_m" ]; then _cz_idle; else _cz_h=; _cz_all; fi
_cz_end; [ "$_cz_r" -le 128 ] || exit 79; }
_cz_now() { :; }
${sinceFunction}
${holderFunctions}
_cz_again() { _cz_h= _cz_r=0; for _cz_q in "$@"; do case $_cz_q in -a) _cz_all;; *) [ ! -e "/proc/\${_cz_q#?}" ] || _cz_holds "\${_cz_q#?}";; esac; done; _cz_end; }
_cz_a= _cz_g=; _cz_kin
_cz_m=$(cat /proc/sys/kernel/pid_max) && _cz_m=$((_cz_m/16384)) || _cz_m=2
if [ -n "\${BASH_VERSION-}" ]; then :; elif ! (PATH=/dev/null; exec true); then _cz_g=+
elif (exec -a true /proc/self/exe); then _cz_g=+ _cz_a=-a; fi
[ "$PPID" -le 1 ] || _cz_g=
[ -z "$_cz_g" ] || trap '_cz_g=' USR1
_cz_p= _cz_w=; ${lastPid('_cz_b')} && (:) && ${lastPid('_cz_c')} && [ "$_cz_c" -gt "$_cz_b" ] && _cz_p=1
printf %s "$1:$$$_cz_g;" >&8; printf %s "$1;" >&9${readRequests('')}`;
