/**
 * What file tools run inside the sandbox: POSIX sh, and of the rest what BusyBox and GNU share. Paths are positional
 * parameters and absolute. Exit codes are those of `../scripts.ts`.
 */
import { exits, follow, step, underway } from '../scripts.ts';

/** Refuses what lies in `$withheld`, by whatever link. */
const guard = `
if [ -n "$withheld" ] && w=$(cd "$withheld" 2>/dev/null && pwd -P) && r=$(readlink -f "$p"); then
  case $r/ in "$w"/*) exit ${exits.withheld} ;; esac
fi
`;

/** $1 path, $2 first byte (from 1 on), $3 bytes, $4 withheld directory. Tells the size on a line of its own first. */
export const readScript = `
p=$1 withheld=$4
[ -e "$p" ] || exit ${exits.missing}
[ ! -d "$p" ] || exit ${exits.directory}
[ -f "$p" ] || exit ${exits.special}
${guard}
size=$(wc -c <"$p") || exit ${exits.tarFailed}
echo $size
tail -c "+$2" "$p" | head -c "$3"
`;

/**
 * $1 path, $2 bytes on stdin, $3 what must be there: empty for anything, \`none\`, or a SHA-256, $4 \`parents\` to make the
 * directories above, $5 scratch name. Through a link at the end; mode and owner of a file that is there stay. The file is
 * old or new.
 */
export const writeScript = `
p=$1
${follow('p')}
[ ! -d "$p" ] || exit ${exits.isDirectory}
[ -f "$p" ] || [ ! -e "$p" ] || exit ${exits.special}
d=\${p%/*}
[ -d "$d/" ] || { [ -n "$4" ] && mkdir -p "$d/" 2>/dev/null; } || exit ${exits.noParent}
t=$d/$5
trap 'rm -f "$t"' EXIT
trap 'exit 143' HUP INT TERM
if [ -f "$p" ]; then cp -p "$p" "$t"; else : >"$t"; fi || exit ${exits.noScratch}
cat >"$t" || exit ${exits.noScratch}
[ "$(wc -c <"$t")" -eq "$2" ] || exit ${exits.incomplete}
case $3 in
  '') ;;
  none) [ ! -e "$p" ] || exit ${exits.changed} ;;
  *) h=$(sha256sum <"$p" 2>/dev/null) || h=; [ "\${h%% *}" = "$3" ] || exit ${exits.changed} ;;
esac
mv -f "$t" "$p" || exit ${exits.notPlaced}
`;

/** $1 directory, $2 entries at most. Names, each ended by a NUL; one more NUL; a line of facts for each name. */
export const listScript = `
[ -e "$1" ] || exit ${exits.missing}
[ -d "$1" ] || exit ${exits.notDirectory}
cd "$1" || exit ${exits.tarFailed}
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
[ -e "$1" ] || [ -L "$1" ] || exit ${exits.missing}
stat -c '%f %s %Y' -- "$1" || exit ${exits.tarFailed}
[ ! -L "$1" ] || readlink "$1"
`;

/** $1 from, $2 to, $3 \`replace\` when a file may be there. */
export const moveScript = `
[ -e "$1" ] || [ -L "$1" ] || exit ${exits.missing}
if [ -e "$2" ] || [ -L "$2" ]; then
  [ -n "$3" ] || exit ${exits.exists}
  [ ! -d "$2" ] || exit ${exits.isDirectory}
fi
[ -d "\${2%/*}/" ] || exit ${exits.noParent}
mv -f "$1" "$2" || exit ${exits.notPlaced}
`;

/** $1 path, $2 \`recursive\`. Links are removed, not followed. */
export const removeScript = `
[ -e "$1" ] || [ -L "$1" ] || exit ${exits.missing}
if [ -d "$1" ] && [ ! -L "$1" ]; then
  if [ -n "$2" ]; then rm -rf "$1" || exit ${exits.notPlaced}; else rmdir "$1" 2>/dev/null || exit ${exits.notEmpty}; fi
else
  rm -f "$1" || exit ${exits.notPlaced}
fi
`;

/** $1 path, $2 pattern, $3 \`F\` for fixed text or \`E\`, $4 glob of names, $5 lines at most, $6 withheld directory. */
export const searchScript = `
[ -e "$1" ] || exit ${exits.missing}
p=$1 withheld=$6 none=/dev/null/none
${guard}
# Below $1 it has the name that find gives it there, though a link leads to $1.
if [ -n "\${w-}" ] && [ -n "\${r-}" ]; then
  r=\${r%/}
  case $w/ in "$r"/*) none=$(printf '%s' "\${1%/}\${w#"$r"}" | sed 's/[][*?\\]/\\\\&/g') ;; esac
fi
said=$(echo | grep "-$3" -e "$2" 2>&1 >/dev/null)
[ -z "$said" ] || exit ${exits.pattern}
find -H "$1" -path "$none" -prune -o -type f -name "$4" -print0 2>/dev/null |
  xargs -0 -r grep "-$3" -n -H -e "$2" -- 2>/dev/null | head -n "$5"
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
