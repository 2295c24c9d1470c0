import { type Dialect, lookWith, note, put } from './dialect.ts';

/** Bash's own, and ours: everything else is the caller's. Selected by name, since a value may span lines. */
const ownNames =
  '_|_cz_*|CAISSON_*|BASH|BASHOPTS|BASHPID|BASH_ALIASES|BASH_ARGC|BASH_ARGV|BASH_ARGV0|BASH_CMDS|BASH_COMMAND|BASH_EXECUTION_STRING|BASH_LINENO|BASH_MONOSECONDS|BASH_REMATCH|BASH_SOURCE|BASH_SUBSHELL|BASH_TRAPSIG|BASH_VERSINFO|BASH_VERSION|BASH_XTRACEFD|EUID|UID|PPID|SHELLOPTS|DIRSTACK|FUNCNAME|GROUPS|HISTCMD|LINENO|RANDOM|SRANDOM|SECONDS|EPOCHREALTIME|EPOCHSECONDS|OPTIND|PIPESTATUS|COMP_CWORD|COMP_KEY|COMP_LINE|COMP_POINT|COMP_TYPE|COMP_WORDBREAKS|COMP_WORDS|PWD|OLDPWD|SHLVL|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE';

/** What posix mode changes, and its end does not give back. */
const posixOptions = 'expand_aliases inherit_errexit interactive_comments shift_verbose sourcepath';

/**
 * In posix mode, which an assignment switches on, no function shadows `unset`. The snapshot is read with aliases off, and
 * its functions come after all that they could shadow.
 *
 * `command` puts the ERR trap and `set -e` aside in what is left of `||` and `&&`, and `$(...)` has no `set -e`: these two
 * are looked at before the rest, and taken up after it. A variable without a value has attributes all the same, which
 * `compgen` passes over.
 */
export const bash: Dialect = {
  kind: 'bash',
  begin: '_cz_t=; shopt -s expand_aliases',
  takeUp: 'command shopt -s expand_aliases',
  takeUpLast: 'command eval "$_cz_t"; _cz_t=',
  intact: `if ( POSIXLY_CORRECT=x; unset -f declare; declare -F command ) >/dev/null; then
_cz_k=:$SHELLOPTS:$BASHOPTS: POSIXLY_CORRECT=x; unset -f command || exit 77
case $_cz_k in *:posix:*) ;; *) unset POSIXLY_CORRECT
for _cz_x in ${posixOptions}; do case $_cz_k in *:"$_cz_x":*) command shopt -s "$_cz_x";; *) command shopt -u "$_cz_x";; esac; done;; esac
${note}
fi`,
  lookFirst: `_cz_t=$(\\command trap -p ERR)
case $_cz_t in ?*) _cz_t="\\\\command $_cz_t";; esac
case $_cz_o in *e*) _cz_t="$_cz_t
\\\\command set -e";; esac`,
  dump: `command printf '_cz_t=%q\\n' "$_cz_t"; command shopt -p; command echo 'shopt -u expand_aliases'
command compgen -v | while IFS= command read -r _cz_x; do case $_cz_x in ${ownNames}) ;; *) command declare -p -- "$_cz_x";; esac; done
command declare -p | while IFS=' ' command read -r _cz_k _cz_q _cz_x; do case $_cz_k/$_cz_x in declare/*[!a-zA-Z0-9_]*|declare/) ;; declare/*)
case $_cz_x in ${ownNames}) ;; *) command declare -p -- "$_cz_x";; esac;; esac; done
command alias -p; command trap -p EXIT HUP INT QUIT TERM USR1 USR2 PIPE ALRM CHLD DEBUG
command printf 'umask %s\\ncd -- %q || _cz_r=2\\n' "$_cz_m" "$PWD"
case \${OLDPWD+x} in x) command printf 'OLDPWD=%q\\n' "$OLDPWD";; *) command echo 'unset -v OLDPWD';; esac
command compgen -A function | while IFS= command read -r _cz_x; do command declare -f -- "$_cz_x"; done
_cz_k=$(\\command declare -Fx; \\command declare -Fr); command printf '%s\\n' "\${_cz_k//declare -/\\\\command declare -}"
_cz_k=$(\\command set +o); command printf '%s\\n' "\${_cz_k//set /\\\\command set }"`,
  look: lookWith(
    `! command declare -F -- "$_cz_x" || { ${put('f')}; ${put('$_cz_x')}; ${put('$(\\command declare -f -- "$_cz_x")')}; }`,
  ),
};
