/**
 * The script that finds and signals the tree of one exec from inside its sandbox: POSIX sh, the same in busybox ash,
 * dash and bash.
 *
 * Members of the tree are processes that
 *   - carry `CAISSON_EXEC=<id>` in their environment, wherever they were re-parented,
 *   - descend from a member,
 *   - share the session of a member, unless the leader of that session is alive and no member (it is then the session
 *     of somebody else, such as that of Caisson itself on the local machine),
 *   - were members in an earlier scan (by process id and start time).
 * The watcher of a command on the direct path (`direct/script.ts`) is one only while no other is left: it reports the end of
 * the others, and before them it is what the command will come from.
 * The script itself and its ancestors never are. What clears its environment, opens a session of its own *and* loses
 * its parent before the first scan is not found.
 *
 * Mode `grep` costs one fork a scan and is quick among many processes. Mode `plain` uses builtins alone, because a full
 * process table is a reason to kill; dash has no `read -d`, drops NUL bytes, and so takes an id that merely begins with
 * ours for ours in that mode.
 *
 * It speaks in lines. `COMMAND NONCE` is answered by `NONCE = COUNT`, preceded by `NONCE PID NAME` lines for `list`.
 * Zombies are dead and do not count. A name is what the process calls itself: hostile.
 */
export const killScript = String.raw`exec 2>/dev/null
LC_ALL=C want="CAISSON_EXEC=$1" watch="CAISSON_EXEC=watch-$1" mode=$2 nul= zero= known= sessions= up= upsessions=
IFS= read -r -d '' x </dev/null
[ $? = 1 ] && nul=y
stat() {
  all=
  while IFS= read -r x || [ "$x" ]; do all="$all $x"; done </proc/$1/stat
  [ "$all" ] || return 1
  set -- ${'$'}{all##*)}
  state=$1 parent=$2 session=$4 born=${'$'}{20}
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
    p=${'$'}{p#/proc/}
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
      p=${'$'}{row%%:*} row=${'$'}{row#*:}
      case $members in *" $p "*) continue ;; esac
      parent=${'$'}{row%%:*} row=${'$'}{row#*:}
      session=${'$'}{row%:*} born=${'$'}{row#*:}
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
`;
