/**
 * A stateful shell: bash where the sandbox has it, else sh. The latter must work in busybox ash, dash and bash.
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
 * `declare` and `return` mean something else. The snapshot is written before the end is reported, by rename.
 *
 * Functions and aliases of the caller do not reach what stands here. All is one group, read before any alias is taken
 * up; what is read later (`eval`, and `$(...)` in older bash) begins with `\command`; functions of our own, which could be
 * redefined, there are none; and every builtin is called by `command`, which functions do not shadow. Only one called
 * `command` would: it is taken away when its text has ended, and stderr says so.
 *
 * After a text, IFS is not assigned to: the caller may have made it read-only, which would end dash and ash. Whatever it
 * is, `read` into one variable takes no more than white space off the ends, and one last character: the dot of a request.
 */
import { scriptOf } from '../../inside/script.ts';
import { bash } from './bash.ts';
import { type Dialect, renamed } from './dialect.ts';
import { dumpLimits, lookAround, measureFirst } from './lost.ts';
import { sh } from './sh.ts';

const save = ({ lookFirst, dump }: Dialect): string => `
${lookAround}
${lookFirst}
command umask 077
{ command printf 'umask %s\\n_cz_w=%s _cz_u=%s\\ncommand unset -v %s\\n' "$_cz_m" "$_cz_w" "$_cz_u" "$_cz_v"
${dumpLimits}
${dump}
case $_cz_o in *v*) command echo '\\command set -v';; esac
case $_cz_o in *x*) command echo '\\command set -x';; esac
} >|"$_cz_F.new" 2>/dev/null </dev/null && ${renamed('$_cz_F')} || :
command umask "$_cz_m"`;

/** A shell that cannot tell the end of a text (its printf is switched off) ends, and is seen to. */
const mark = (nonce: string, status: string): string =>
  `{ command printf '%s:%s;' "${nonce}" "${status}" >&8 && command printf '%s;' "${nonce}" >&9; } || command exit 77; _cz_L=`;

/** The names in the environment: a variable that the caller has taken out of it does not come back with the next shell. */
const given = `_cz_v=$(\\command export -p | while \\command read -r _cz_x; do _cz_x=\${_cz_x#declare -x } _cz_x=\${_cz_x#export } _cz_x=\${_cz_x%%=*}
case $_cz_x in *[!a-zA-Z0-9_]*|[0-9]*|''|_|PWD|OPTIND|SHLVL|HOSTNAME|HOSTTYPE|MACHTYPE|OSTYPE|CAISSON_*) ;; *) command printf '%s ' "$_cz_x";; esac; done)`;

const loop = (shell: Dialect): string => `{
_cz_F=$2.${shell.kind} _cz_L=$1 _cz_X= _cz_G= _cz_T= _cz_k= _cz_o= _cz_e=0 _cz_u=0 _cz_r=0 _cz_w= _cz_n='
'
command shift 2
${measureFirst}
${given}
${shell.begin}
[ ! -f "$_cz_F" ] || { { command . "$_cz_F"; ${shell.takeUp}
} >/dev/null 2>&1; _cz_r=1; }
${shell.takeUpLast}
command printf '%s:%s:${shell.kind}:%s%s;' "$_cz_L" "$$" "$_cz_r" "$_cz_w" >&8; command printf '%s;' "$_cz_L" >&9
while { _cz_e=$? _cz_o=$- _cz_n='
'; ${shell.intact}
command set +xv; } >/dev/null 2>&1; command read ${shell.reading} -r _cz_L <&7; do
case \${_cz_L%.} in
"M "*" #") _cz_u=$_cz_e
case $_cz_o in *e*) _cz_k=e; command set +e;; *) _cz_k=;; esac; case $_cz_o in *u*) command set +u; _cz_k=u$_cz_k;; esac
command eval "$_cz_T"; _cz_X= _cz_G= _cz_T=
case $_cz_k in *e*) command set -e;; esac; case $_cz_k in *u*) command set -u;; esac
${save(shell)}
_cz_L=\${_cz_L#M }; ${mark('${_cz_L%% *}', '$_cz_e')};;
"S "*" #") ( command set +eu; ${shell.look} ) 2>/dev/null </dev/null || :
_cz_L=\${_cz_L#S }; ${mark('${_cz_L%% *}', '0')};;
*" #") command eval "$_cz_L"; _cz_L=text; command eval "$_cz_G"
{ case $_cz_o in *v*) command set -v;; esac; case $_cz_o in *x*) command set -x;; esac
case $_cz_o/$_cz_u in *e*/*|*/0) ;; *) ( command exit "$_cz_u" );; esac; } 2>/dev/null
command eval "${shell.before}$_cz_X" 7<&- 8>&- 9>&-;;
esac
done
command exit 77
}`;

export function sessionCommand(key: string, nonce: string, name: string): readonly [string, ...string[]] {
  const text = scriptOf('kept', 'sessions/start');
  return ['sh', '-c', text, 'caisson-session', key, nonce, name, loop(bash), loop(sh)];
}
