#!/bin/bash
# In posix mode, which an assignment switches on, no function shadows `unset`; its end does not give back what it changes. A DEBUG
# trap is put aside between texts, as it would run before each command of this loop; what it prints until then is lost.
if (POSIXLY_CORRECT=x; unset -f declare; declare -F command) >/dev/null; then
  _cz_k=:$SHELLOPTS:$BASHOPTS: POSIXLY_CORRECT=x
  unset -f command || exit 77
  case $_cz_k in
    *:posix:*) ;;
    *)
      unset POSIXLY_CORRECT
      for _cz_x in expand_aliases inherit_errexit interactive_comments shift_verbose sourcepath; do
        case $_cz_k in *:"$_cz_x":*) command shopt -s "$_cz_x" ;; *) command shopt -u "$_cz_x" ;; esac
      done
      ;;
  esac
  _cz_insert_command_gone
fi
case $_cz_L$_cz_d in
  text)
    _cz_D=$(\command trap -p DEBUG)
    case $_cz_D in
      '' | 'trap -- - DEBUG') _cz_D='' ;;
      *) command trap - DEBUG; _cz_D="\\command $_cz_D" ;;
    esac
    ;;
esac
