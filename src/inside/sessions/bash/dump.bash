#!/bin/bash
# Prints the state as commands that make it. The snapshot is read with aliases off, and its functions come after all that they could
# shadow, and before posix mode, which rejects some of their names. A variable without a value has attributes all the same, so
# that names are taken from what `declare` prints: a line of a value that looks like one names a variable once more.
# shellcheck disable=SC2016,SC2162
command printf '_cz_t=%q _cz_d=%q _cz_D=%q\n' "$_cz_t" "$_cz_d" "$_cz_D"
command shopt -p
command echo 'shopt -u expand_aliases; unset -v BASH_COMPAT'
command declare -p | (
  _cz_insert_lines
  for _cz_x in "${_cz_a[@]}"; do
    case $_cz_x in
      'declare -'*' '*) _cz_x=${_cz_x#declare -* } _cz_x=${_cz_x%%=*} ;;
      *) continue ;;
    esac
    # Names of bash and of this loop: everything else is the caller's.
    case $_cz_x in
      *[!a-zA-Z0-9_]* | '' | _ | _cz_* | CAISSON_* | BASH | BASHOPTS | BASHPID | BASH_ALIASES | BASH_ARGC | BASH_ARGV | BASH_ARGV0) ;;
      BASH_CMDS | BASH_COMMAND | BASH_EXECUTION_STRING | BASH_LINENO | BASH_MONOSECONDS | BASH_REMATCH | BASH_SOURCE) ;;
      BASH_SUBSHELL | BASH_TRAPSIG | BASH_VERSINFO | BASH_VERSION | BASH_XTRACEFD | EUID | UID | PPID | SHELLOPTS | DIRSTACK) ;;
      FUNCNAME | GROUPS | HISTCMD | LINENO | RANDOM | SRANDOM | SECONDS | EPOCHREALTIME | EPOCHSECONDS | PIPESTATUS) ;;
      POSIXLY_CORRECT | COMP_CWORD | COMP_KEY | COMP_LINE | COMP_POINT | COMP_TYPE | COMP_WORDBREAKS | COMP_WORDS | PWD) ;;
      OLDPWD | OPTIND | SHLVL | HOSTNAME | HOSTTYPE | MACHTYPE | OSTYPE) ;;
      *)
        case $_cz_s in
          *" $_cz_x "*) ;;
          *) _cz_s="$_cz_s $_cz_x "; command declare -p -- "$_cz_x" ;;
        esac
        ;;
    esac
  done
)
# Of those that the shell has given itself, what the caller has changed is his.
_cz_k=$(\command declare -p OPTIND SHLVL HOSTNAME HOSTTYPE MACHTYPE OSTYPE)
case $_cz_k in
  "$_cz_h") ;;
  *)
    command printf '%s\n' "$_cz_k" | (
      _cz_insert_lines
      for _cz_x in "${_cz_a[@]}"; do
        case $_cz_n$_cz_h$_cz_n in *"$_cz_n$_cz_x$_cz_n"*) ;; *) command printf '%s\n' "$_cz_x" ;; esac
      done
    )
    ;;
esac
command alias -p
# Neither those that cannot be caught, nor what is looked at before.
command trap -p EXIT HUP INT QUIT ILL TRAP ABRT BUS FPE USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT TSTP TTIN TTOU URG XCPU VTALRM PROF WINCH IO PWR SYS
case $_cz_y in '') command trap -p XFSZ ;; *) command printf '%s\n' "$_cz_y" ;; esac
command printf 'cd -- %q || _cz_w=${_cz_w}c\n' "$_cz_q"
command echo 'unset -v OLDPWD'
command declare -p OLDPWD
case $_cz_w in
  *d*) ;;
  *)
    _cz_q=''
    for _cz_x in "${DIRSTACK[@]:1}"; do
      command printf -v _cz_k '\\command pushd -n -- %q\n' "$_cz_x"
      _cz_q=$_cz_k$_cz_q
    done
    command printf '%s' "$_cz_q"
    ;;
esac
(
  command set +o posix
  command declare -f
)
case $_cz_w/$# in
  *p*/* | */0) ;;
  *)
    command printf '\\command set --'
    command printf ' %q' "$@"
    command echo
    ;;
esac
{
  command declare -Fx
  command declare -Ft
  command declare -Fr
  command declare -p POSIXLY_CORRECT
  command set +o
  command enable -n
} | (
  _cz_insert_lines
  for _cz_x in "${_cz_a[@]}"; do command printf '\\command %s\n' "$_cz_x"; done
)
