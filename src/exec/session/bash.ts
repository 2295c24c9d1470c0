import { type Dialect, lookWith, note, put } from './dialect.ts';

/** Bash's own, and ours: everything else is the caller's. Selected by name, since a value may span lines. */
const ownNames =
  '_|_cz_*|CAISSON_*|BASH*|EUID|UID|PPID|SHELLOPTS|DIRSTACK|FUNCNAME|GROUPS|HISTCMD|LINENO|RANDOM|SRANDOM|SECONDS|EPOCH*|OPTIND|PIPESTATUS|COMP_*|PWD|SHLVL|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE';

/** What posix mode changes, and its end does not give back. */
const posixOptions = 'expand_aliases inherit_errexit interactive_comments shift_verbose sourcepath';

/**
 * In posix mode, which an assignment switches on, no function shadows `unset`. The snapshot is read with aliases off, and
 * its functions come after all that they could shadow.
 */
export const bash: Dialect = {
  kind: 'bash',
  begin: 'shopt -s expand_aliases',
  takeUp: 'command shopt -s expand_aliases',
  intact: `if ( POSIXLY_CORRECT=x; unset -f declare; declare -F command ) >/dev/null; then
_cz_k=:$SHELLOPTS:$BASHOPTS: POSIXLY_CORRECT=x; unset -f command || exit 77
case $_cz_k in *:posix:*) ;; *) unset POSIXLY_CORRECT
for _cz_x in ${posixOptions}; do case $_cz_k in *:"$_cz_x":*) command shopt -s "$_cz_x";; *) command shopt -u "$_cz_x";; esac; done;; esac
${note}
fi`,
  dump: `command shopt -p; command echo 'shopt -u expand_aliases'
command compgen -v | while IFS= command read -r _cz_x; do case $_cz_x in ${ownNames}) ;; *) command declare -p "$_cz_x";; esac; done
command alias -p; command trap -p EXIT HUP INT QUIT TERM USR1 USR2 PIPE ALRM CHLD ERR DEBUG
command printf 'umask %s\\ncd -- %q\\n' "$_cz_m" "$PWD"
command compgen -A function | while IFS= command read -r _cz_x; do command declare -f "$_cz_x"; done
_cz_k=$(\\command declare -Fx); command printf '%s\\n' "\${_cz_k//declare -/\\\\command declare -}"
_cz_k=$(\\command set +o); command printf '%s\\n' "\${_cz_k//set /\\\\command set }"`,
  look: lookWith(
    `! command declare -F -- "$_cz_x" || { ${put('f')}; ${put('$_cz_x')}; ${put('$(\\command declare -f -- "$_cz_x")')}; }`,
  ),
};
