/**
 * Functions of the shells that run commands, in lanes and on the direct path: looking for the program, the marks, and the
 * search for processes that hold the streams of a command that has ended. POSIX sh; names have a prefix that no image exports.
 *
 *   _cz_N       nonce of the marks              fd 8, 9     the true stdout and stderr
 *   _cz_r       status of the command           _cz_h       pids of holders, "?" before one that could not be looked into
 *   _cz_b       last pid before the command     _cz_c       last pid after it
 *   _cz_p       set where pids grow             _cz_i       what the opening mark says beside its first word
 */

/** The opening mark where the directory cannot be entered. */
export const noDirectory = `printf %s "$_cz_N-;" >&8`;

/**
 * _cz_find: the file that a name stands for by the PATH of now, in _cz_f. _cz_begin: says the opening mark, and ends the
 * child where there is no such program, so that no shell reports that on the stderr of the command.
 */
export const findFunctions = `_cz_find() {
_cz_x=$PATH: _cz_f=
while [ -n "$_cz_x" ]; do
_cz_q=\${_cz_x%%:*} _cz_x=\${_cz_x#*:}; _cz_q=\${_cz_q:-.}/$1
if [ -f "$_cz_q" ]; then _cz_f=$_cz_q; [ ! -x "$_cz_q" ] || return 0; fi
done
[ -n "$_cz_f" ]; }
_cz_begin() {
case $1 in
*/*) _cz_f=$1; if [ ! -e "$1" ]; then _cz_x=127; elif [ -d "$1" ] || [ ! -x "$1" ]; then _cz_x=126; else _cz_x=+; fi;;
*) if ! _cz_find "$1"; then _cz_x=127; elif [ -x "$_cz_f" ]; then _cz_x=+; else _cz_x=126; fi;;
esac
printf %s "$_cz_N$_cz_x\${_cz_i-};" >&8
[ "$_cz_x" = + ] || exit "$_cz_x"; }`;

/** The number of the process that was born last, into a variable. */
export const lastPid = (name: string): string => `read -r _cz_x _cz_x _cz_x _cz_x ${name} </proc/loadavg`;

/** Whole seconds of the boot clock in _cz_x; empty where they cannot be read. */
export const sinceFunction = `_cz_since() { read -r _cz_x _cz_q </proc/uptime || _cz_x=; _cz_x=\${_cz_x%.*}; }`;

/** _cz_end: the closing marks. _cz_idle: looks for holders among processes born since. _cz_all: among all. */
export const holderFunctions = `_cz_end() { printf %s "$_cz_N:$_cz_r:$_cz_h;" >&8; printf %s "$_cz_N;" >&9; }
_cz_holds() {
for _cz_f in /proc/$1/fd/*; do
if [ "$_cz_f" -ef /proc/self/fd/8 ] || [ "$_cz_f" -ef /proc/self/fd/9 ]; then _cz_tell '' "$1"; return; fi
done
case $_cz_f in *'*') return;; esac
[ -n "$_cz_w" ] || [ -e "$_cz_f" ] || [ ! -e "/proc/$1/fd" ] || _cz_tell '?' "$1"; }
_cz_tell() {
while read -r _cz_k _cz_x; do case $_cz_k in Tgid:) break;; esac; done </proc/$2/status || return 0
[ "$_cz_x" = "$2" ] || { [ "$_cz_x" -gt "$_cz_b" ] && [ "$_cz_x" -le "$_cz_c" ]; } || return 0
_cz_h="$_cz_h $1$2"; }
_cz_idle() {
_cz_h=; ${lastPid('_cz_c')}
if [ -z "$_cz_p" ] || [ "$_cz_c" -lt "$_cz_b" ]; then _cz_all
elif [ $((_cz_c-_cz_b)) -lt 100 ]; then
_cz_q=$_cz_b; while [ "$_cz_q" -lt "$_cz_c" ]; do _cz_q=$((_cz_q+1)); [ ! -e /proc/$_cz_q ] || _cz_look $_cz_q; done
else
for _cz_q in /proc/[0-9]*; do _cz_q=\${_cz_q#/proc/}; [ "$_cz_q" -le "$_cz_b" ] || [ "$_cz_q" -gt "$_cz_c" ] || _cz_look "$_cz_q"; done
fi; }
_cz_all() {
_cz_kin; _cz_w=1
for _cz_q in /proc/[0-9]*; do _cz_look "\${_cz_q#/proc/}"; done
_cz_w=; }
_cz_look() { case $_cz_u in *" $1 "*) ;; *) _cz_holds "$1";; esac; }
_cz_kin() {
_cz_u=" $$ " _cz_q=$PPID
while [ "\${_cz_q:-0}" -gt 0 ] && read -r _cz_x </proc/$_cz_q/stat; do _cz_u="$_cz_u$_cz_q "; _cz_x=\${_cz_x##*) ? }; _cz_q=\${_cz_x%% *}; done; }`;
