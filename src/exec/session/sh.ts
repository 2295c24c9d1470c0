import { type Dialect, lookWith, note, put, renamed } from './dialect.ts';

/** The shell's own, and ours: not to be printed as the caller's. */
const ownNames =
  'PPID OPTIND PWD SHLVL LINENO FUNCNAME _ RANDOM _cz_F _cz_X _cz_G _cz_T _cz_L _cz_k _cz_o _cz_e _cz_u _cz_r _cz_n _cz_q _cz_m';

/**
 * `set`, `unset`, `export` and the other special builtins cannot be shadowed here. Functions cannot be listed, and of an alias
 * `type` does not tell whether it is a function too.
 */
export const sh: Dialect = {
  kind: 'sh',
  begin: `trap '\\: \${_cz_ended?ended}' URG`,
  takeUp: `[ ! -f "$_cz_F.alias" ] || while IFS= command read -r _cz_L; do _cz_X=\${_cz_L#*=\\'} _cz_X=\${_cz_X%\\'}
case $_cz_X in *\\'*) ;; *) command alias "\${_cz_L%%=*}=$_cz_X";; esac; done <"$_cz_F.alias"`,
  takeUpLast: '',
  lookFirst: '',
  intact: `case $(unset -f type unalias; \\unalias command; \\type command) in *function*) unset -f command || exit 77; ${note};; esac`,
  dump: `_cz_k=$PWD _cz_q=; until case $_cz_k in *\\'*) ! :;; esac; do _cz_q="$_cz_q\${_cz_k%%\\'*}'\\\\''" _cz_k=\${_cz_k#*\\'}; done
command printf "umask %s\\\\ncd -- '%s' || _cz_r=2\\\\n" "$_cz_m" "$_cz_q$_cz_k"; export -p
( for _cz_x in ${ownNames}; do command unset "$_cz_x"; done; unset _cz_x; set )
command alias >|"$_cz_F.alias.new" && ${renamed('$_cz_F.alias')}; set +o`,
  look: lookWith(
    `case $(\\command unalias "$_cz_x"; \\command type "$_cz_x") in *"is a "*function*) ${put('f')}; ${put('$_cz_x')}; ${put("''")};; esac`,
  ),
};
