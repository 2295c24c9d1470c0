#!/bin/bash
# shellcheck disable=SC2016 # what a text evals is written in single quotes
# Between texts the ERR trap is put aside too: where one is set before `eval`, it runs once more for a text that fails. In a condition,
# `command trap` would not see it. What is put aside is set again on the first line of the next text, whose message of a syntax error
# shows that line.
case $_cz_d in
  '')
    _cz_k=$(
      \command printf '_cz_d=\n\\command '
      \command trap -p ERR
      \command printf '\n\\command '
      \command trap -p RETURN
    )
    command trap - ERR
    case $_cz_k$_cz_D in
      *'trap --'*)
        _cz_D=$_cz_k$_cz_n$_cz_D
        case $_cz_o in
          # In a subshell the DEBUG trap would run here.
          *T*) _cz_d='{ \command eval "$_cz_D"; } 2>/dev/null; ' ;;
          *) _cz_d='{ \command eval "$_cz_D"; (\command exit "$_cz_u") && (:); } 2>/dev/null; ' ;;
        esac
        ;;
    esac
    ;;
esac
