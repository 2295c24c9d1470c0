/**
 * A stateful shell: bash where the sandbox has it, else sh. It must work in busybox ash, dash and bash.
 *
 *   fd 7      requests, a line each, whole when it ends in " #."; 8, 9: where marks go. A command sees none of them
 *   M NONCE   answers the end of the text before it. It is a line of its own, so that no variable holds the nonce while
 *             the text runs (`set` would print it), and read at the head of the loop, so that `continue` cannot skip it
 *   S ...     tells the directory and what some names are defined as, from a copy of the shell that ends with it
 *   SIGURG    ends the text that runs in dash and ash: an error in a trap unwinds them to `command eval`, and nothing of
 *             the text runs after it. bash has no such way out (it may run another command first), so it is ended with
 *             its text; its snapshot is complete, where that of the others lacks functions
 *
 * `command eval` keeps syntax errors from ending dash and ash, and the text is not inside a function, where `set --`,
 * `declare` and `return` mean something else. The snapshot is written before the end is told, by rename.
 */
import { baseScript } from '../inside.ts';

/** Bash's own, and ours: everything else is the caller's. Selected by name, since a value may span lines. */
const bashNames =
  '_|_cz_*|CAISSON_*|BASH*|EUID|UID|PPID|SHELLOPTS|DIRSTACK|FUNCNAME|GROUPS|HISTCMD|LINENO|RANDOM|SRANDOM|SECONDS|EPOCH*|OPTIND|PIPESTATUS|COMP_*|PWD|SHLVL|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE';

const loopScript = `
_cz_F=$2 _cz_V= _cz_X= _cz_L= _cz_k= _cz_o= _cz_e=0 _cz_u=0 _cz_r=0 _cz_n='
'
if [ -n "\${BASH_VERSION-}" ]; then
shopt -s expand_aliases
_cz_dump() {
local _cz_x
for _cz_x in $(compgen -v); do case $_cz_x in ${bashNames}) ;; *) declare -p "$_cz_x";; esac; done
for _cz_x in $(compgen -A function); do case $_cz_x in _cz_*) ;; *) declare -f "$_cz_x"; [[ $(declare -F "$_cz_x" -p 2>/dev/null) == *-fx* ]] && printf 'export -f %q\\n' "$_cz_x";; esac; done
shopt -p; echo 'shopt -s expand_aliases'; alias -p; trap -p EXIT HUP INT QUIT TERM USR1 USR2 PIPE ALRM CHLD ERR DEBUG
printf 'umask %s\\ncd -- %q\\n' "$_cz_m" "$PWD"; }
_cz_kind=bash
else
trap ': \${_cz_ended?ended}' URG
_cz_dump() {
_cz_quote "$PWD"; printf 'umask %s\\ncd -- %s\\n' "$_cz_m" "$_cz_q"; export -p
( for _cz_x in PPID OPTIND PWD SHLVL LINENO FUNCNAME _ RANDOM _cz_F _cz_V _cz_X _cz_L _cz_k _cz_o _cz_e _cz_u _cz_r _cz_n _cz_q _cz_m _cz_kind; do [ "$_cz_x" = _cz_x ] || command unset "$_cz_x"; done; unset _cz_x; set )
alias >|"$_cz_F.alias.new" && mv -f "$_cz_F.alias.new" "$_cz_F.alias"; }
_cz_quote() { _cz_q="'" _cz_k=$1; while case $_cz_k in *"'"*) ;; *) false;; esac; do _cz_q="$_cz_q\${_cz_k%%"'"*}'\\\\''" _cz_k=\${_cz_k#*"'"}; done; _cz_q="$_cz_q$_cz_k'"; }
_cz_kind=sh
fi
_cz_save() {
_cz_m=$(umask); umask 077
{ _cz_dump; set +o; case $_cz_o in *v*) echo 'set -v';; esac; case $_cz_o in *x*) echo 'set -x';; esac; } >|"$_cz_F.new" 2>/dev/null </dev/null && mv -f "$_cz_F.new" "$_cz_F"
umask "$_cz_m"; }
_cz_put() { _cz_s=$_cz_s\${#1}:$1,; }
_cz_look() {
unset -f command declare alias type printf pwd
LC_ALL=C IFS=' ' _cz_s= _cz_k=$2; shift 2
_cz_q=$(\\pwd -P && \\printf .); _cz_put "\${_cz_q%?.}"
for _cz_x in "$@"; do
if [ $_cz_kind = bash ]; then ! declare -F -- "$_cz_x" || { _cz_put f; _cz_put "$_cz_x"; _cz_put "$(\\declare -f -- "$_cz_x")"; }
else case $(\\type "$_cz_x") in *"is a "*function*) _cz_put f; _cz_put "$_cz_x"; _cz_put '';; esac; fi
! alias "$_cz_x" || { _cz_put a; _cz_put "$_cz_x"; _cz_put "$(\\alias "$_cz_x")"; }
done >/dev/null
printf '%s%s:%s,' "$_cz_k" \${#_cz_s} "$_cz_s" >&8; }
_cz_was() { return $_cz_u; }
_cz_give() {
_cz_V=
while [ $# -gt 0 ]; do
_cz_V="$_cz_V $1"
eval "_cz_had_$1=\\\${$1+x} _cz_old_$1=\\\${$1-}"; command export "$1=$2"
shift 2; done; }
_cz_take() { for _cz_k in $_cz_V; do
eval "if [ -n \\"\\$_cz_had_$_cz_k\\" ]; then $_cz_k=\\$_cz_old_$_cz_k; else command unset $_cz_k; fi; unset _cz_had_$_cz_k _cz_old_$_cz_k"
done; _cz_V=; }
if [ -f "$_cz_F.$_cz_kind" ]; then
_cz_F=$_cz_F.$_cz_kind _cz_r=1
{ . "$_cz_F"; } >/dev/null 2>&1
if [ $_cz_kind = sh ] && [ -f "$_cz_F.alias" ]; then
while IFS= read -r _cz_L; do _cz_X=\${_cz_L#*=\\'} _cz_X=\${_cz_X%\\'}
case $_cz_X in *\\'*) ;; *) alias "\${_cz_L%%=*}=$_cz_X";; esac; done <"$_cz_F.alias"
fi
else _cz_F=$_cz_F.$_cz_kind; fi
printf '%s:%s:%s:%s;' "$1" $$ $_cz_kind $_cz_r >&8; printf '%s;' "$1" >&9
shift $#
case $- in *x*) _cz_o=x;; esac
while { _cz_e=$? _cz_o=$-; set +xv; } 2>/dev/null; IFS= read -r _cz_L <&7; do
case $_cz_L in
"M "*" #.") _cz_u=$_cz_e
case $_cz_o in *e*) _cz_k=e; set +e;; *) _cz_k=;; esac; case $_cz_o in *u*) set +u; _cz_k=u$_cz_k;; esac
_cz_take; case $_cz_k in *e*) set -e;; esac; case $_cz_k in *u*) set -u;; esac
_cz_save || :
_cz_L=\${_cz_L#M }; printf '%s:%s;' "\${_cz_L% #.}" "$_cz_e" >&8; printf '%s;' "\${_cz_L% #.}" >&9
_cz_L=; continue;;
"S "*" #.") ( set +eu; eval "_cz_look \${_cz_L#S }" ) 2>/dev/null </dev/null || :
_cz_L=\${_cz_L#S }; printf '%s:0;' "\${_cz_L%% *}" >&8; printf '%s;' "\${_cz_L%% *}" >&9; _cz_L=; continue;;
*" #.") eval "$_cz_L"; _cz_L=;;
*) continue;;
esac
{ case $_cz_o in *v*) set -v;; esac; case $_cz_o in *x*) set -x;; esac; case $_cz_o in *e*) ;; *) _cz_was;; esac; } 2>/dev/null
command eval "$_cz_X" 7<&- 8>&- 9>&-
done
exit 77`;

/** $1 key, $2 start nonce, $3 name of the session. */
const startScript = `${baseScript('sessions')}
umask "$old"
shell=sh; command -v bash >/dev/null 2>&1 && shell=bash
exec "$shell" -c '${loopScript.replaceAll("'", `'\\''`)}' caisson-session "$2" "$base/$3" 7<&0 8>&1 9>&2 </dev/null`;

export function sessionCommand(key: string, nonce: string, name: string): readonly [string, ...string[]] {
  return ['sh', '-c', startScript, 'caisson-session', key, nonce, name];
}

/** $1 pid of the session's shell, $2 what it is: has it end its text, or itself. */
export const interruptScript = 'case $2 in bash) kill -9 "$1";; *) kill -s URG "$1";; esac';

/** $1 key, $2 name, or empty to list all. */
export const forgetScript = `${baseScript('sessions')}
cd -- "$base" || exit 1
[ -n "$2" ] || { for f in *.bash *.sh; do [ ! -f "$f" ] || echo "\${f%.*}"; done; exit 0; }
rm -f "./$2.bash" "./$2.sh" "./$2.sh.alias"`;
