#!/bin/sh
# The loop of a session. `src/exec/session/script.ts` says what may stand here: in short, every builtin behind `command`, no function,
# and all of it one group. $1 start nonce as TAIL.HEAD, $2 the file of its state without its ending, $3 this text.
# shellcheck disable=SC2015,SC2016,SC2030,SC2031,SC2069,SC2094,SC2181,SC2229
{
  _cz_F=$2._cz_insert_kind _cz_L=$1 _cz_X='' _cz_G='' _cz_T='' _cz_k='' _cz_o='' _cz_e=0 _cz_u=0 _cz_r=0 _cz_w='' _cz_x='' _cz_y='' _cz_n=_cz_insert_newline
  command shift 3
  _cz_insert_measure
  _cz_i=${_cz_m%%"$_cz_n"/*} _cz_i=${_cz_i#*"$_cz_n"}
  # shellcheck disable=SC3045
  _cz_l=$(\command ulimit -Sa; \command ulimit -Ha)
  _cz_insert_given
  _cz_insert_begin
  [ ! -f "$_cz_F" ] || {
    {
      command . "$_cz_F"
      _cz_insert_take_up
    } >/dev/null 2>&1
    ! command test -f "$_cz_F.stale" || _cz_w=${_cz_w}s
    _cz_r=1
  }
  _cz_insert_take_up_last
  command printf '%s%s:%s:_cz_insert_kind:%s%s;' "${_cz_L#*.}" "${_cz_L%.*}" "$$" "$_cz_r" "$_cz_w" >&8
  command printf '%s%s;' "${_cz_L#*.}" "${_cz_L%.*}" >&9
  # After `set -n` no command runs, so that `until` ends here and `while` would not.
  until {
    _cz_e=$? _cz_n=_cz_insert_newline
    # Tracing is off between texts: what a text left on, or was to have on and did not, is kept until the next one.
    case $_cz_L in text) _cz_o=$-$_cz_k ;; ?*) _cz_o=$- ;; esac
    _cz_insert_intact
    command set +xv
  } >/dev/null 2>&1; ! command read _cz_insert_reading -r _cz_L <&7; do
    case ${_cz_L%.} in
      "M "*" #")
        _cz_insert_aside
        _cz_u=$_cz_e
        case $_cz_o in *e*) _cz_k=e; command set +e ;; *) _cz_k='' ;; esac
        case $_cz_o in *u*) command set +u; _cz_k=u$_cz_k ;; esac
        command eval "$_cz_T"
        _cz_X='' _cz_G='' _cz_T=''
        case $_cz_k in *e*) command set -e ;; esac
        case $_cz_k in *u*) command set -u ;; esac
        _cz_insert_measure
        _cz_insert_look_around
        _cz_insert_look_first
        command umask 077
        case $_cz_y in unlimited | '') _cz_y='' ;; *) _cz_insert_unsignaled ;; esac
        {
          command printf 'umask %s\n_cz_w=%s _cz_u=%s\ncommand unset -v %s\n' "$_cz_m" "$_cz_w" "$_cz_u" "$_cz_v"
          _cz_insert_limits
          _cz_insert_dump
          case $_cz_o in *v*) command printf '\\command set -v\n' ;; esac
          case $_cz_o in *x*) command printf '\\command set -x\n' ;; esac
          command printf ':\n'
        } >|"$_cz_F.new" 2>/dev/null </dev/null &&
          { command mv -f "$_cz_F.new" "$_cz_F" || (PATH=/usr/bin:/bin; command mv -f "$_cz_F.new" "$_cz_F"); } 2>/dev/null &&
          { ! command test -f "$_cz_F.stale" || (PATH=/usr/bin:/bin; command rm -f "$_cz_F.stale"); } 2>/dev/null ||
          command : 2>/dev/null >|"$_cz_F.stale" || :
        case $_cz_y in '') ;; *) command eval "\command $_cz_y" ;; esac
        command umask "$_cz_m"
        _cz_L=${_cz_L#M } _cz_k=$_cz_e
        _cz_insert_mark
        ;;
      "S "*" #")
        (
          command set +eu
          _cz_insert_look
        ) 2>/dev/null </dev/null || :
        _cz_L=${_cz_L#S } _cz_k=0
        _cz_insert_mark
        ;;
      *" #")
        command eval "$_cz_L"
        _cz_L=text _cz_k=''
        command eval "$_cz_G"
        case $_cz_o in *x*) _cz_k=x ;; esac
        case $_cz_o in
          *v*)
            _cz_insert_verbose
            ;;
        esac
        _cz_x=''
        case $_cz_k/$_cz_u in
          /*) case $_cz_o/$_cz_u in *e*/* | */0) ;; *) (command exit "$_cz_u") ;; esac ;;
          */0) _cz_x="{ _cz_k=; \\command set -$_cz_k; } 2>/dev/null; " ;;
          *) _cz_x="{ _cz_k=; \\command set -$_cz_k; (\\command exit $_cz_u) && (:); } 2>/dev/null; " ;;
        esac
        command eval "$_cz_x${_cz_d-}$_cz_X" 7<&- 8>&- 9>&-
        ;;
    esac
  done
  command exit 77
}
