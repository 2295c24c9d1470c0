import { type Dialect, lookWith, note, put, renamed } from './dialect.ts';

/** The shell's own, and ours: not to be printed as the caller's. */
const ownNames =
  'PPID OPTIND PWD SHLVL LINENO FUNCNAME _ RANDOM _cz_F _cz_X _cz_G _cz_T _cz_L _cz_k _cz_o _cz_e _cz_u _cz_r _cz_n _cz_q _cz_m _cz_w _cz_i _cz_v _cz_p _cz_l';

/** Prints an assignment of `word` to `_cz_p`: of a single alias, every shell prints the value in quotes. */
const assign = (word: string): string => `command alias "_cz_p=${word}"; command alias _cz_p`;

/**
 * `set`, `unset`, `export` and the other special builtins cannot be shadowed here. Functions cannot be listed, and of an alias
 * `type` does not tell whether it is a function too. What aliases stand for is read from its quotes, never evaluated; it may
 * span lines. An OPTIND that is no number would end the shell that takes it up.
 */
export const sh: Dialect = {
  kind: 'sh',
  begin: `trap '\\: \${_cz_ended?ended}' URG`,
  takeUp: `[ ! -f "$_cz_F.alias" ] || while IFS= command read -r _cz_x; do _cz_k=$_cz_k$_cz_x _cz_X=\${_cz_k#*=} _cz_q=
while :; do case $_cz_X in
\\'*\\'*) _cz_X=\${_cz_X#?}; _cz_q=$_cz_q\${_cz_X%%\\'*} _cz_X=\${_cz_X#*\\'};;
\\"*\\"*) _cz_X=\${_cz_X#?}; _cz_q=$_cz_q\${_cz_X%%\\"*} _cz_X=\${_cz_X#*\\"};;
\\\\?*) _cz_X=\${_cz_X#?}; _cz_q=$_cz_q\${_cz_X%"\${_cz_X#?}"} _cz_X=\${_cz_X#?};;
*) break;; esac; done
case $_cz_X in '') command alias "\${_cz_k%%=*}=$_cz_q"; _cz_k=;; *) _cz_k="$_cz_k
";; esac; done <"$_cz_F.alias"`,
  takeUpLast: '',
  reading: '',
  before: '',
  lookFirst: '',
  intact: `case $(unset -f type unalias; \\unalias command; \\type command) in *function*) unset -f command || exit 77; ${note};; esac`,
  dump: `( ${assign('$_cz_q')}; command echo 'cd -- "$_cz_p" || _cz_w=\${_cz_w}c; unset OLDPWD'
case $_cz_w in *p*) ;; *) for _cz_x in "$@"; do ${assign('$_cz_x')}; command echo 'set -- "$@" "$_cz_p"'; done;; esac
case \${OPTIND-} in ''|*[!0-9]*|????*) ;; *) command echo "OPTIND=$OPTIND";; esac
for _cz_x in ${ownNames}; do command unset "$_cz_x"; done; unset _cz_x; export -p; set )
command alias >|"$_cz_F.alias.new" && ${renamed('$_cz_F.alias')}; set +o`,
  look: lookWith(
    `case $(\\command unalias "$_cz_x"; \\command type "$_cz_x") in *"is a "*function*) ${put('f')}; ${put('$_cz_x')}; ${put("''")};; esac`,
  ),
};
