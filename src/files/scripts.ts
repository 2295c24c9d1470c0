/**
 * What runs inside the sandbox: POSIX sh and tar, as both BusyBox and GNU have them. Paths are positional parameters,
 * never text of the script, and always absolute, so that a leading `-` means nothing.
 *
 * Exit codes say which step failed. They choose the words of an error and nothing else: the sandbox may lie.
 */
import { endName, payloadName } from './pack.ts';

export const exits = {
  noTar: 90,
  missing: 91,
  noParent: 92,
  isDirectory: 93,
  notDirectory: 94,
  noScratch: 95,
  tarFailed: 96,
  incomplete: 97,
  notPlaced: 98,
  special: 99,
  withheld: 89,
  changed: 88,
  exists: 87,
  notEmpty: 86,
  pattern: 85,
  directory: 84,
  sizeless: 83,
  elsewhere: 82,
} as const;

/**
 * Goes one link on at the end of a path, if it leads to something or not: of a link that leads nowhere, `readlink -f` of
 * BusyBox tells another place. The dot keeps newlines at the end of a name, which `$(...)` would cut.
 */
export const step = (name: string): string => `to=$(readlink "$${name}" && echo .) || break
to=\${to%??} links=\${links}.
while :; do case $to in ?*/) to=\${to%/};; *) break;; esac; done
case $to in /*) ${name}=$to;; *) ${name}=\${${name}%/*}/$to;; esac`;

/** As many links as the kernel follows. */
export const underway = '[ "${#links}" -lt 40 ]';

/** Follows links at the end of a path. */
export const follow = (name: string): string => `links=
while [ -L "$${name}" ] && ${underway}; do
${step(name)}
done`;

/**
 * $1 target, $2 name to take inside an existing directory (empty: put the content itself there), $3 `file` or `tree`,
 * $4 scratch name, $5 size of the file, $6 `slash` when the target must be a directory.
 *
 * Everything arrives in a scratch directory beside its place and is renamed when it is complete, so that the target is
 * old or new. Into a tree that exists, files go one by one as hard links, each old or new. The scratch directory goes
 * when the stream ends, however it ends.
 */
export const unpackScript = `
target=$1 name=$2 kind=$3 scratch=$4 bytes=$5 slash=$6
umask 0
command -v tar >/dev/null 2>&1 || exit ${exits.noTar}
if [ -d "$target" ]; then
  [ -z "$name" ] || target=\${target%/}/$name
elif [ "$kind$slash" = fileslash ]; then
  exit ${exits.missing}
fi
${follow('target')}
if [ "$kind" = file ]; then
  [ ! -d "$target" ] || exit ${exits.isDirectory}
  [ -f "$target" ] || [ ! -e "$target" ] || exit ${exits.special}
else
  [ -d "$target" ] || [ ! -e "$target" ] || exit ${exits.notDirectory}
fi
place=$target
[ -d "$place" ] || place=\${target%/*}
[ -d "$place/" ] || exit ${exits.noParent}
scratch=\${place%/}/$scratch
mkdir -m 700 "$scratch" || exit ${exits.noScratch}
trap 'cd / && rm -rf "$scratch"' EXIT
trap 'exit 143' HUP INT TERM
cd "$scratch" || exit ${exits.noScratch}
tar -x -o -f - || exit ${exits.tarFailed}
[ -f ${endName} ] || exit ${exits.incomplete}
if [ "$kind" = file ]; then
  [ "$(wc -c < ${payloadName})" -eq "$bytes" ] || exit ${exits.incomplete}
elif [ -d "$target" ]; then
  cp -R -P -l -f ${payloadName}/. "$target/" 2>/dev/null || cp -R -P -f ${payloadName}/. "$target/" || exit ${exits.notPlaced}
  exit 0
fi
mv -f ${payloadName} "$target" || exit ${exits.notPlaced}
`;

/**
 * $1 source, $2 \`contents\` when it must be a directory, $3 a directory that must not come out, or nothing, $4 where
 * the reader expects it below the source, and leaves it out. What leads to it by another way is refused.
 * A directory is sent as \`.\`, a file as \`./NAME\`. GNU tar would send the second name of a file as a link to
 * the first, and read escapes in the name; the others have no option for either. What the kernel makes up as it is read
 * has no size, or a wrong one, and would come out empty or padded.
 */
export const packScript = `
source=$1 withheld=$3 left=$4
command -v tar >/dev/null 2>&1 || exit ${exits.noTar}
${follow('source')}
if [ -d "$source" ]; then
  cd "$source" || exit ${exits.tarFailed}
  set -- .
elif [ -f "$source" ]; then
  [ "$2" != contents ] || exit ${exits.notDirectory}
  cd "\${source%/*}/" || exit ${exits.tarFailed}
  set -- "./\${source##*/}"
elif [ -e "$source" ]; then
  exit ${exits.special}
else
  exit ${exits.missing}
fi
here=$(pwd -P && echo .)
here=\${here%??}
case $here/ in /proc/* | /sys/*) exit ${exits.sizeless} ;; esac
if [ -n "$withheld" ] && real=$(cd "$withheld" 2>/dev/null && pwd -P && echo .); then
  real=\${real%??}
  case $here/ in "$real"/*) exit ${exits.withheld} ;; esac
  case $real in "\${here%/}"/*) [ "\${real#"\${here%/}"/}" = "$left" ] || exit ${exits.withheld} ;; esac
fi
case $(tar --version 2>/dev/null) in
  *'GNU tar'*) exec tar --no-unquote --hard-dereference --format=gnu -c -f - -- "$1" ;;
esac
exec tar -c -f - -- "$1"
`;
