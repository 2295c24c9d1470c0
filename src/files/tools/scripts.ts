/**
 * What file tools run inside the sandbox: POSIX sh, and of the rest what BusyBox and GNU share. Paths are positional
 * parameters and absolute. Exit codes are those of `../scripts.ts`. `$real` is set when rules have judged a path: it is the
 * real one then, and a script that is led elsewhere by it refuses.
 */
import { exits, follow, step, underway } from '../scripts.ts';

/** Fails unless the directory that was entered is $1. What is then done by name stays in it, wherever its path leads. */
const here = `
is_here() {
  [ -n "$real" ] || return 0
  here=$(pwd -P && echo .)
  [ "\${here%??}" = "$1" ]
}
`;

/** The path in $p: enters its directory, which becomes $d, and has the name in $n. */
const enter = `
d=\${p%/*} n=./\${p##*/}
cd -P "\${d:-/}" 2>/dev/null || exit ${exits.noParent}
is_here "\${d:-/}" || exit ${exits.elsewhere}
`;

/** Refuses what lies in `$withheld`: `$r` is the real path. */
const guard = `
if [ -n "$withheld" ] && w=$(cd "$withheld" 2>/dev/null && pwd -P); then
  case $r/ in "$w"/*) exit ${exits.withheld} ;; esac
fi
`;

/**
 * $1 path, $2 first byte (from 1 on), $3 bytes, $4 withheld directory. Tells the size on a line of its own first. Opened
 * once and read by its descriptor, whose path the kernel has: a path may lead elsewhere a moment later.
 */
export const readScript = `
p=$1 withheld=$4
[ -e "$p" ] || exit ${exits.missing}
[ ! -d "$p" ] || exit ${exits.directory}
[ -f "$p" ] || exit ${exits.special}
[ -r "$p" ] || exit ${exits.tarFailed}
exec 3<"$p"
f=/proc/self/fd/3
if r=$(readlink "$f" 3<&3 && echo .); then
  r=\${r%??}
else
  [ -z "$real" ] || exit ${exits.elsewhere}
  f=$p
  r=$(readlink -f "$p")
fi
[ -z "$real" ] || [ "$r" = "$p" ] || exit ${exits.elsewhere}
[ -f "$f" ] || exit ${exits.special}
${guard}
size=$(wc -c <"$f") || exit ${exits.tarFailed}
echo $size
tail -c "+$2" <"$f" | head -c "$3"
`;

/**
 * $1 path, $2 bytes on stdin, $3 what must be there: empty for anything, \`none\`, or a SHA-256, $4 \`parents\` to make the
 * directories above, $5 scratch name. Through a link at the end, unless the path is real; mode and owner of a file that is
 * there stay. The file is old or new.
 */
export const writeScript = `
p=$1
${here}
[ -n "$real" ] || { ${follow('p')}
}
d=\${p%/*}
[ -d "$d/" ] || { [ -n "$4" ] && mkdir -p "$d/" 2>/dev/null; } || exit ${exits.noParent}
${enter}
[ -z "$real" ] || [ ! -L "$n" ] || exit ${exits.elsewhere}
[ ! -d "$n" ] || exit ${exits.isDirectory}
[ -f "$n" ] || [ ! -e "$n" ] || exit ${exits.special}
t=./$5 only=
[ -z "$real" ] || case $(mv --help 2>&1) in *-T*) only=T ;; esac
trap 'rm -f "$t"' EXIT
trap 'exit 143' HUP INT TERM
if [ -f "$n" ]; then cp -p "$n" "$t"; else : >"$t"; fi || exit ${exits.noScratch}
cat >"$t" || exit ${exits.noScratch}
[ "$(wc -c <"$t")" -eq "$2" ] || exit ${exits.incomplete}
case $3 in
  '') ;;
  none) [ ! -e "$n" ] || exit ${exits.changed} ;;
  *) h=$(sha256sum <"$n" 2>/dev/null) || h=; [ "\${h%% *}" = "$3" ] || exit ${exits.changed} ;;
esac
mv "-f$only" "$t" "$n" || exit ${exits.notPlaced}
`;

/** $1 directory, $2 entries at most. Names, each ended by a NUL; one more NUL; a line of facts for each name. */
export const listScript = `
${here}
[ -e "$1" ] || exit ${exits.missing}
[ -d "$1" ] || exit ${exits.notDirectory}
cd "$1" || exit ${exits.tarFailed}
is_here "$1" || exit ${exits.elsewhere}
names() {
  i=0
  for f in ./* ./.[!.]* ./..?*; do
    [ -e "$f" ] || [ -L "$f" ] || continue
    [ $i -lt "$1" ] || return
    i=$((i + 1))
    printf '%s\\0' "$f"
  done
}
names "$2"; printf '\\0'; names "$2" | xargs -0 -r stat -c '%f %s %Y' --
`;

/** $1 path. Facts, and the target of a link. */
export const statScript = `
${here}
p=$1
[ -e "$p" ] || [ -L "$p" ] || exit ${exits.missing}
${enter}
stat -c '%f %s %Y' -- "$n" || exit ${exits.tarFailed}
[ ! -L "$n" ] || readlink "$n"
`;

/** $1 from, $2 to, $3 \`replace\` when a file may be there. The directory of $2 is held by a descriptor. */
export const moveScript = `
${here}
to=$2 over=\${2%/*} name=\${2##*/}
[ -e "$1" ] || [ -L "$1" ] || exit ${exits.missing}
[ -d "$over/" ] || exit ${exits.noParent}
only=
if [ -n "$real" ]; then
  exec 4<"$over/"
  held=$(readlink /proc/self/fd/4 4<&4 && echo .) || exit ${exits.elsewhere}
  [ "\${held%??}" = "\${over:-/}" ] || exit ${exits.elsewhere}
  to=/proc/$$/fd/4/$name
  case $(mv --help 2>&1) in *-T*) only=T ;; esac
fi
p=$1
${enter}
if [ -e "$to" ] || [ -L "$to" ]; then
  [ -n "$3" ] || exit ${exits.exists}
  [ ! -d "$to" ] || exit ${exits.isDirectory}
fi
mv "-f$only" "$n" "$to" || exit ${exits.notPlaced}
`;

/** $1 path, $2 \`recursive\`. Links are removed, not followed. */
export const removeScript = `
${here}
p=$1
[ -e "$p" ] || [ -L "$p" ] || exit ${exits.missing}
${enter}
if [ -d "$n" ] && [ ! -L "$n" ]; then
  if [ -n "$2" ]; then rm -rf "$n" || exit ${exits.notPlaced}; else rmdir "$n" 2>/dev/null || exit ${exits.notEmpty}; fi
else
  rm -f "$n" || exit ${exits.notPlaced}
fi
`;

/**
 * $1 path, $2 pattern, $3 \`F\` for fixed text or \`E\`, $4 glob of names, $5 lines at most, $6 withheld directory. The
 * directory that was entered and a NUL; then lines with names below it, each cut behind a path and 2,000 characters.
 */
export const searchScript = `
${here}
[ -e "$1" ] || exit ${exits.missing}
p=$1 withheld=$6 none=/dev/null/none
r=$(readlink -f "$p" && echo .) r=\${r%??}
${guard}
if [ -d "$p" ]; then
  cd "$p" || exit ${exits.tarFailed}
  is_here "$p" || exit ${exits.elsewhere}
  d=$p n=.
  case \${w-}/ in "\${r%/}"/?*) none=.$(printf '%s' "\${w#"\${r%/}"}" | sed 's/[][*?\\]/\\\\&/g') ;; esac
else
  ${enter}
fi
said=$(echo | grep "-$3" -e "$2" 2>&1 >/dev/null)
[ -z "$said" ] || exit ${exits.pattern}
printf '%s\\0' "$d"
follow=-H
[ -z "$real" ] || follow=-P
find $follow "$n" -path "$none" -prune -o -type f -name "$4" -print0 2>/dev/null |
  xargs -0 -r grep "-$3" -n -H -e "$2" -- 2>/dev/null | head -n "$5" | cut -b 1-6400
`;

/**
 * $1 path, $2 `entry` when a link at the end is meant itself, $3 `tree` for all that is below, $4 bytes of that. Real
 * paths, each ended by a NUL. What is not there is named below the nearest directory that is.
 */
export const touchedScript = `
p=$1 rest=
up() { rest=/\${p##*/}$rest p=\${p%/*}; [ -n "$p" ] || p=/; }
[ -z "$2" ] || [ "$p" = / ] || up
links=
while [ ! -e "$p" ] && ${underway}; do
if [ -L "$p" ]; then ${step('p')}
else up; fi
done
# Behind what is not there, only the kernel could tell where \`..\` leads.
case $rest/ in */../* | */./*) exit ${exits.noParent} ;; esac
real=$(readlink -f "$p" && echo .) || exit ${exits.noParent}
real=\${real%??}
[ "$real" != / ] || real=
real=$real$rest
printf '%s\\0' "$real"
[ -n "$3" ] && [ -d "$real" ] && [ ! -L "$real" ] || exit 0
find "$real" -print0 2>/dev/null | head -c "$4"
`;
