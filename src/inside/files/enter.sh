#!/bin/sh
# Entering the directory of a path. `$real` is set when rules have judged a path: it is the real one then, and what is led
# elsewhere by it is refused. What is done by name after that stays in the directory, wherever its path leads.

# Whether the directory that was entered is $1.
is_here() {
  [ -n "$real" ] || return 0
  entered=$(pwd -P && echo .)
  [ "${entered%??}" = "$1" ]
}

# Exits for the path $1, which is not seen: with $2, or as denied where a directory above it may not be searched.
exit_unseen() {
  above=${1%/*}
  while [ -n "$above" ] && [ ! -d "$above" ]; do above=${above%/*}; done
  [ -x "${above:-/}" ] || exit "$exit_denied"
  exit "$2"
}

# Exits when the directory $1 cannot be written, or else with $2.
exit_unwritten() {
  [ -w "$1" ] && [ -x "$1" ] || exit "$exit_denied"
  exit "$2"
}

# Enters the directory of $path, which becomes $directory, and has the name in $name.
enter_parent() {
  directory=${path%/*} name=./${path##*/}
  cd -P "${directory:-/}" 2>/dev/null || {
    [ ! -d "${directory:-/}" ] || exit "$exit_denied"
    exit_unseen "$directory" "$exit_no_parent"
  }
  is_here "${directory:-/}" || exit "$exit_elsewhere"
}

# Refuses what lies in the directory $withheld; $real_path is what is looked at. Its real path is in $withheld_real.
refuse_withheld() {
  withheld_real=
  [ -n "$withheld" ] && withheld_real=$(cd "$withheld" 2>/dev/null && pwd -P) || return 0
  case $real_path/ in "$withheld_real"/*) exit "$exit_withheld" ;; esac
}
