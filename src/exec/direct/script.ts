/**
 * The shell that watches one command on the direct path: it starts the command in a child, and prints a mark behind the
 * last byte of it. A service that carries the streams may drop bytes and still end them cleanly; it cannot drop bytes and
 * deliver the mark that follows them.
 *
 *   $1        nonce of the marks. The command can read it in the arguments of its parent, and so only hide output of its own:
 *             the status is the place's word, and bytes behind the mark are an error
 *   $2        working directory. It is entered here and never given to the service, which would follow links in it
 *   $3 ...    names of variables whose values come as `_cz_v_NAME`, so that they do not change this shell; then `--` and the
 *             command, or `-e PROGRAM NAME=VALUE ... PROGRAM ...` where env(1) has to set variables that shells keep for themselves
 *   CAISSON_EXEC  `watch-` and the id of the exec; the command itself has the id
 *
 * The opening mark is `NONCE+ PID.BORN;` (pid and start time of the child, proc_pid_stat(5)), `NONCE-;` where the
 * directory cannot be entered, `NONCE127 ...;` or `NONCE126 ...;` where there is no such program. The closing marks are
 * those of lanes. Signals that end a tree politely reach the command; the watcher stays to report the end.
 *
 * The same in busybox ash, dash and bash.
 */
import { findFunctions, holderFunctions, lastPid, noDirectory, sinceFunction } from '../lane/functions.ts';

export const directScript = `
_cz_N=$1 _cz_d=$2 _cz_h= _cz_w= _cz_k=\${CAISSON_EXEC#watch-}; shift 2
exec 8>&1 9>&2 >/dev/null 2>&1
trap : HUP INT QUIT TERM PIPE
${findFunctions}
${sinceFunction}
${holderFunctions}
_cz_born() { set -- \${1##*) }; _cz_i="\${20}"; }
_cz_find setsid && _cz_s=$_cz_f || _cz_s=
_cz_find env; _cz_e=$_cz_f
cd -- "$_cz_d" || { ${noDirectory}; _cz_r=126; _cz_end; exit 126; }
_cz_since; _cz_v=$_cz_x; ${lastPid('_cz_b')}
( unset SHLVL OLDPWD PWD
CAISSON_EXEC=$_cz_k
while case $1 in --|-e) false;; esac; do eval "export $1=\\"\\$_cz_v_$1\\""; unset "_cz_v_$1"; shift; done
IFS= read -r _cz_x </proc/self/stat; _cz_born "$_cz_x"; _cz_i=" \${_cz_x%% *}.$_cz_i"
case $1 in -e) _cz_begin "$2"; shift 2; set -- "$_cz_e" -- "$@";; *) shift; _cz_begin "$1";; esac
[ -z "$_cz_s" ] || set -- "$_cz_s" -- "$@"
exec "$@" >&8 2>&9 8>&- 9>&- )
_cz_r=$?; cd /
${lastPid('_cz_c')} && [ "$_cz_c" -gt "$_cz_b" ] && _cz_p=1 || _cz_p=
_cz_since; [ -n "$_cz_v" ] && [ -n "$_cz_x" ] && [ $((_cz_x-_cz_v)) -lt 2 ] || _cz_p=
_cz_idle; _cz_end
exit "$_cz_r"`;
