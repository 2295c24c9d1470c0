#!/bin/sh
# Finds and signals the tree of one exec from inside its sandbox. `src/exec/kill/script.ts` says what a tree is.
#
# $1 id of the exec, $2 `grep` or `plain`, $3 the id of this script itself. It reads lines `COMMAND NONCE` and answers
# `NONCE = COUNT`, preceded by `NONCE PID NAME` lines for `list`.
#
# Words are numbers and lists of numbers. dash has no `read -d`, and is asked first.
# shellcheck disable=SC2086,SC3045,SC2254
exec 2>/dev/null
LC_ALL=C want="CAISSON_EXEC=$1" watch="CAISSON_EXEC=watch-$1" mode=$2
nul='' zero='' known='' sessions='' up='' upsessions=''
IFS= read -r -d '' x </dev/null
# 1: the shell has the option, and read to the end.
# shellcheck disable=SC2181
[ $? = 1 ] && nul=y
stat() {
  all=
  while IFS= read -r x || [ "$x" ]; do all="$all $x"; done </proc/$1/stat
  [ "$all" ] || return 1
  set -- ${all##*)}
  state=$1 parent=$2 session=$4 born=${20}
}
carries() {
  if [ $nul ]; then
    while IFS= read -r -d '' x || [ "$x" ]; do [ "$x" = "$want" ] && return 0; done </proc/$1/environ
  else
    while IFS= read -r x || [ "$x" ]; do case $x in *"$want"*) return 0 ;; esac; done </proc/$1/environ
  fi
  return 1
}
enter() {
  members="$members$1 "
  case $sessions in *" $2 "*) ;; *) sessions="$sessions $2 " ;; esac
  case $known in *" $1/$3 "*) ;; *) known="$known $1/$3 " ;; esac
}
ours() {
  case $sessions in *" $1 "*) ;; *) return 1 ;; esac
  case $upsessions in *" $1 "*) return 1 ;; esac
  case $members in *" $1 "*) return 0 ;; esac
  case $alive in *" $1:"*) return 1 ;; esac
}
scan() {
  search
  [ "$members" = ' ' ] || return 0
  carried=$want want=$watch
  search
  want=$carried
  [ "$members" != ' ' ]
}
search() {
  members=' ' alive=' ' found=
  [ $mode = grep ] && found=$(grep $zero -lsxF -- "$want" /proc/[0-9]*/environ)
  for p in /proc/[0-9]*; do
    p=${p#/proc/}
    case $up in *" $p "*) continue ;; esac
    stat $p || continue
    case $state in Z | X) continue ;; esac
    alive="$alive$p:$parent:$session:$born "
    case $known in *" $p/$born "*) enter $p $session $born; continue ;; esac
    if [ $mode = grep ]; then
      case $found in *"/proc/$p/environ"*) enter $p $session $born ;; esac
    elif carries $p; then
      enter $p $session $born
    fi
  done
  more=y
  while [ $more ]; do
    more=
    for row in $alive; do
      p=${row%%:*} row=${row#*:}
      case $members in *" $p "*) continue ;; esac
      parent=${row%%:*} row=${row#*:}
      session=${row%:*} born=${row#*:}
      case $members in *" $parent "*) enter $p $session $born; more=y; continue ;; esac
      ours $session && { enter $p $session $born; more=y; }
    done
  done
}
freeze() {
  round=0 before=
  while [ $round -lt 20 ] && scan && [ "$members" != "$before" ]; do
    before=$members round=$((round + 1))
    kill -STOP $members
  done
}
list() {
  shown=0
  for p in $members; do
    [ $shown -lt 50 ] || break
    shown=$((shown + 1)) x=
    read -r x </proc/$p/comm
    printf '%s %s %s\n' "$1" "$p" "$x"
  done
}
p=$$
while [ "$p" ] && [ "$p" -gt 0 ] && stat $p; do
  up="$up $p " upsessions="$upsessions $session " p=$parent
done
up="$up 1 "
if [ $mode = grep ]; then
  zero=-z
  grep -z -qsxF -- "CAISSON_EXEC=$3" /proc/$$/environ || zero=
  [ $zero ] || grep -qsxF -- "CAISSON_EXEC=$3" /proc/$$/environ || mode=plain
fi
while read -r command nonce; do
  case $command in
    term) scan && kill -TERM $members ;;
    kill) freeze; [ "$members" != ' ' ] && { kill -KILL $members; scan; } ;;
    list) scan; list "$nonce" ;;
    *) scan ;;
  esac
  set -- $members
  printf '%s = %s\n' "$nonce" $#
done
