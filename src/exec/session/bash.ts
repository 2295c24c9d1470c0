import { type Dialect, lookWith, note, put } from './dialect.ts';
import { boundOf } from './lost.ts';

/** Bash's own, and ours: everything else is the caller's. Selected by name, since a value may span lines. */
const ownNames =
  '_|_cz_*|CAISSON_*|BASH|BASHOPTS|BASHPID|BASH_ALIASES|BASH_ARGC|BASH_ARGV|BASH_ARGV0|BASH_CMDS|BASH_COMMAND|BASH_EXECUTION_STRING|BASH_LINENO|BASH_MONOSECONDS|BASH_REMATCH|BASH_SOURCE|BASH_SUBSHELL|BASH_TRAPSIG|BASH_VERSINFO|BASH_VERSION|BASH_XTRACEFD|EUID|UID|PPID|SHELLOPTS|DIRSTACK|FUNCNAME|GROUPS|HISTCMD|LINENO|RANDOM|SRANDOM|SECONDS|EPOCHREALTIME|EPOCHSECONDS|PIPESTATUS|POSIXLY_CORRECT|COMP_CWORD|COMP_KEY|COMP_LINE|COMP_POINT|COMP_TYPE|COMP_WORDBREAKS|COMP_WORDS|PWD|OLDPWD|OPTIND|SHLVL|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE';

/** Of these, what the caller has changed is his. */
const given = 'OPTIND SHLVL HOSTNAME HOSTTYPE MACHTYPE OSTYPE';

/** What posix mode changes, and its end does not give back. */
const posixOptions = 'expand_aliases inherit_errexit interactive_comments shift_verbose sourcepath';

/** Neither those that cannot be caught, nor what is looked at before. */
const signals =
  'EXIT HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS';

/** `read` would split by an IFS that is not ours to change; in posix mode `declare -f` knows not all functions. */
const eachLine = '( command set +o posix; _cz_s=; command mapfile -t _cz_a; for _cz_x in "${_cz_a[@]}"; do';

/**
 * In posix mode, which an assignment switches on, no function shadows `unset`. The snapshot is read with aliases off, and
 * its functions come after all that they could shadow, and before posix mode, which rejects some of their names.
 *
 * A DEBUG trap is put aside between texts, as it would run before each of Caisson's own commands; what it prints until then is lost.
 *
 * `command` puts the ERR trap and `set -e` aside in what is left of `||` and `&&`, and `$(...)` has no `set -e`: these two,
 * and the RETURN trap, are looked at before the rest, and taken up after it. A variable without a value has attributes all
 * the same, so that names are taken from what `declare` prints: a line of a value that looks like one names a variable once more. A `read` without a time of its own has the one of TMOUT.
 */
export const bash: Dialect = {
  kind: 'bash',
  begin: `_cz_t= _cz_d= _cz_h=$(\\command declare -p ${given}); shopt -s expand_aliases`,
  takeUp: 'command shopt -s expand_aliases',
  takeUpLast: 'command eval "$_cz_t"; _cz_t=',
  reading: '${TMOUT:+"-t1000000000"}',
  before: '$_cz_d',
  intact: `if ( POSIXLY_CORRECT=x; unset -f declare; declare -F command ) >/dev/null; then
_cz_k=:$SHELLOPTS:$BASHOPTS: POSIXLY_CORRECT=x; unset -f command || exit 77
case $_cz_k in *:posix:*) ;; *) unset POSIXLY_CORRECT
for _cz_x in ${posixOptions}; do case $_cz_k in *:"$_cz_x":*) command shopt -s "$_cz_x";; *) command shopt -u "$_cz_x";; esac; done;; esac
${note}
fi
case $_cz_L in text) _cz_k=$(\\command trap -p DEBUG); case $_cz_k in ''|'trap -- - DEBUG') ;; *) command trap - DEBUG; _cz_d="_cz_d=; \\\\command trap -- \${_cz_k#*trap -- };";; esac;; esac`,
  lookFirst: `_cz_k="\${DIRSTACK[*]}"; ${boundOf('d', '${#DIRSTACK[@]}')}
_cz_t=; command shopt -q expand_aliases || _cz_t='\\command shopt -u expand_aliases
'
_cz_t=$_cz_t$(\\command printf '\\\\command '; \\command trap -p ERR; \\command printf '\\n\\\\command '; \\command trap -p RETURN)
case $_cz_o in *e*) _cz_t="$_cz_t$_cz_n\\\\command set -e";; esac`,
  dump: `command printf '_cz_t=%q _cz_d=%q\\n' "$_cz_t" "$_cz_d"; command shopt -p; command echo 'shopt -u expand_aliases; unset -v BASH_COMPAT'
command declare -p | ${eachLine} case $_cz_x in 'declare -'*' '*) _cz_x=\${_cz_x#declare -* } _cz_x=\${_cz_x%%=*};; *) continue;; esac
case $_cz_x in *[!a-zA-Z0-9_]*|''|${ownNames}) ;; *) case $_cz_s in *" $_cz_x "*) ;; *) _cz_s="$_cz_s $_cz_x "; command declare -p -- "$_cz_x";; esac;; esac; done; )
_cz_k=$(\\command declare -p ${given}); case $_cz_k in "$_cz_h") ;; *) command printf '%s\\n' "$_cz_k" | ${eachLine} case $_cz_n$_cz_h$_cz_n in *"$_cz_n$_cz_x$_cz_n"*) ;; *) command printf '%s\\n' "$_cz_x";; esac; done; );; esac
command alias -p; command trap -p ${signals}
command printf 'cd -- %q || _cz_w=\${_cz_w}c\\n' "$_cz_q"
command echo 'unset -v OLDPWD'; command declare -p OLDPWD
case $_cz_w in *d*) ;; *) _cz_q=; for _cz_x in "\${DIRSTACK[@]:1}"; do command printf -v _cz_k '\\\\command pushd -n -- %q\\n' "$_cz_x"; _cz_q=$_cz_k$_cz_q; done; command printf '%s' "$_cz_q";; esac
( command set +o posix; command declare -f )
case $_cz_w/$# in *p*/*|*/0) ;; *) command printf '\\\\command set --'; command printf ' %q' "$@"; command echo;; esac
{ command declare -Fx; command declare -Ft; command declare -Fr; command declare -p POSIXLY_CORRECT; command set +o; command enable -n; } |
${eachLine} command printf '\\\\command %s\\n' "$_cz_x"; done; )`,
  look: `command set +o posix; ${lookWith(
    `! command declare -F -- "$_cz_x" || { ${put('f')}; ${put('$_cz_x')}; ${put('$(\\command declare -f -- "$_cz_x")')}; }`,
  )}`,
};
