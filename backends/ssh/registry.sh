#!/bin/sh
# Keeps registrations on the host: one small file a sandbox, in a directory of this account alone.
#
#   ROOT/INSTANCE/sandboxes/NAME   first line `SANDBOX STATE KEEP FINGERPRINT SCOPE`, second line the labels as JSON
#   ROOT/INSTANCE/tasks/TASK       the task's own directory
#
# Arguments: MODE DIRECTORY NAME SANDBOX PATTERN, and for `create` KEEP FINGERPRINT LABELS TASK-DIRECTORY SCOPE CAPACITY. A
# sandbox is stopped in its file before its processes are ended, and every command looks into the file after it has begun to
# carry the mark: so none slips through. Exit codes are `codes` of registry.ts.
mode=$1 directory=$2 file=$2/$3 sandbox=$4 pattern=$5
exit_gone=40 exit_taken=41 exit_outlived=42 exit_unwritable=43 exit_full=44
umask 077

# Reads file $1.
load() {
  found='' state='' keep='' fingerprint='' scope='' labels=''
  { read -r found state keep fingerprint scope && IFS= read -r labels; } 2>/dev/null <"$1"
}

# Writes the file with state $1; $2 puts the draft in place.
save() {
  draft=$directory/.$$.$sandbox
  printf '%s %s %s %s %s\n%s\n' "$sandbox" "$1" "$keep" "$fingerprint" "${scope:--}" "$labels" >"$draft" &&
    "$2" "$draft" "$file" && return
  rm -f -- "$draft"
  return 1
}
replace() { mv -f -- "$1" "$2"; }
# Fails where the name is taken.
claim() { ln -- "$1" "$2" 2>/dev/null && rm -f -- "$1"; }

load_own() { load "$file" && [ "$found" = "$sandbox" ] || exit "$exit_gone"; }

# Stops all processes of the sandbox, whose numbers are in $frozen: stopped ones start no new ones.
freeze() {
  frozen=' ' scan=0
  while [ "$scan" -lt 40 ]; do
    fresh=
    # Paths of numbers.
    # shellcheck disable=SC2013
    for entry in $(grep -lsxz -- "CAISSON_SANDBOX=$pattern" /proc/[0-9]*/environ); do
      entry=${entry#/proc/}
      entry=${entry%/environ}
      case $frozen in
        *" $entry "*) ;;
        *)
          kill -STOP "$entry" 2>/dev/null
          frozen="$frozen$entry " fresh=y
          ;;
      esac
    done
    [ -n "$fresh" ] || return
    scan=$((scan + 1))
  done
}

end_processes() {
  round=0
  while [ "$round" -lt 40 ]; do
    freeze
    [ "$frozen" != ' ' ] || return 0
    # A list of numbers.
    # shellcheck disable=SC2086
    kill -KILL $frozen 2>/dev/null
    sleep 0.02 2>/dev/null || sleep 1
    round=$((round + 1))
  done
  exit "$exit_outlived"
}

count() {
  registered=0
  for each in "$directory"/*; do [ ! -f "$each" ] || registered=$((registered + 1)); done
}

case $mode in
  create)
    made_directory=
    [ -d "$9" ] || made_directory=y
    mkdir -p -- "$directory" "$9" || exit "$exit_unwritable"
    keep=$6 fingerprint=$7 labels=$8 scope=${10}
    if ! save running claim; then
      load "$file" || exit "$exit_unwritable"
      [ "$found" = "$sandbox" ] || exit "$exit_taken"
      if [ "$fingerprint" != "$7" ]; then
        save stopped replace || exit "$exit_unwritable"
        end_processes
        keep=$6 fingerprint=$7 labels=$8
      fi
      scope=${10}
      save running replace || exit "$exit_unwritable"
    elif [ -n "${11}" ]; then
      count
      if [ "$registered" -gt "${11}" ]; then
        rm -f -- "$file"
        [ -z "$made_directory" ] || rmdir -- "$9" 2>/dev/null
        exit "$exit_full"
      fi
    fi
    printf '%s\n' "$labels"
    ;;
  load)
    count
    holds=
    [ ! -f "$file" ] && [ ! -d "$6" ] || holds=holds
    printf '%s %s\n' "$registered" "$holds"
    ;;
  read)
    load_own
    printf '%s\n%s\n' "$state" "$labels"
    ;;
  start)
    load_own
    [ "$state" = running ] || save running replace || exit "$exit_unwritable"
    ;;
  stop)
    load_own
    [ "$state" = stopped ] || save stopped replace || exit "$exit_unwritable"
    end_processes
    ;;
  destroy)
    load "$file" && [ "$found" = "$sandbox" ] || exit 0
    save stopped replace || exit "$exit_unwritable"
    end_processes
    if [ "$keep" = keep ]; then rmdir -- "$6" 2>/dev/null; else rm -rf -- "$6"; fi
    rm -f -- "$file"
    ;;
  list)
    for file in "$directory"/*; do
      [ -f "$file" ] && load "$file" && printf '%s\t%s\t%s\t%s\n' "${file##*/}" "$state" "$scope" "$labels"
    done
    exit 0
    ;;
esac
