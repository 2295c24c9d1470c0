/**
 * The script that keeps registrations on the host: one small file a sandbox, in a directory of this account alone.
 *
 *   ROOT/INSTANCE/sandboxes/NAME   first line `SANDBOX STATE KEEP FINGERPRINT SCOPE`, second line the labels as JSON
 *   ROOT/INSTANCE/tasks/TASK       the task's own directory
 *
 * POSIX sh with grep, ln, mv, mkdir and rm. Arguments: MODE DIRECTORY NAME SANDBOX PATTERN, and for `create` KEEP
 * FINGERPRINT LABELS TASK-DIRECTORY SCOPE CAPACITY. A sandbox is stopped in its file before its processes are ended, and every command
 * looks into the file after it has begun to carry the mark: so none slips through.
 */
export const codes = { gone: 40, taken: 41, outlived: 42, unwritable: 43, full: 44 } as const;

export const registryScript = `
mode=$1 dir=$2 file=$2/$3 id=$4 pattern=$5 fresh= holds=
umask 077
load() { found= state= keep= print= scope= json=; { read -r found state keep print scope && IFS= read -r json; } 2>/dev/null <"$1"; }
save() {
draft=$dir/.$$.$id
printf '%s %s %s %s %s\\n%s\\n' "$id" "$1" "$keep" "$print" "\${scope:--}" "$json" >"$draft" && "$2" "$draft" "$file" && return
rm -f -- "$draft"; return 1; }
move() { mv -f -- "$1" "$2"; }
claim() { ln -- "$1" "$2" 2>/dev/null && rm -f -- "$1"; }
mine() { load "$file" && [ "$found" = "$id" ] || exit ${codes.gone}; }
freeze() {
frozen=' ' scan=0
while [ $scan -lt 40 ]; do
fresh=
for entry in $(grep -lsxz -- "CAISSON_SANDBOX=$pattern" /proc/[0-9]*/environ); do
entry=\${entry#/proc/}; entry=\${entry%/environ}
case $frozen in *" $entry "*) ;; *) kill -STOP "$entry" 2>/dev/null; frozen="$frozen$entry " fresh=y;; esac
done
[ -n "$fresh" ] || return
scan=$((scan+1))
done; }
end() {
round=0
while [ $round -lt 40 ]; do
freeze
[ "$frozen" != ' ' ] || return 0
kill -KILL $frozen 2>/dev/null
sleep 0.02 2>/dev/null || sleep 1
round=$((round+1))
done
exit ${codes.outlived}; }
count() { n=0; for one in "$dir"/*; do [ ! -f "$one" ] || n=$((n+1)); done; }
case $mode in
create)
[ -d "$9" ] || fresh=y
mkdir -p -- "$dir" "$9" || exit ${codes.unwritable}
keep=$6 print=$7 json=$8 scope=\${10}
if ! save running claim; then
load "$file" || exit ${codes.unwritable}
[ "$found" = "$id" ] || exit ${codes.taken}
if [ "$print" = "$7" ]; then scope=\${10}; save running move || exit ${codes.unwritable}
else save stopped move || exit ${codes.unwritable}; end; keep=$6 print=$7 json=$8 scope=\${10}; save running move || exit ${codes.unwritable}; fi
elif [ -n "\${11}" ]; then
count
if [ "$n" -gt "\${11}" ]; then rm -f -- "$file"; [ -z "$fresh" ] || rmdir -- "$9" 2>/dev/null; exit ${codes.full}; fi
fi
printf '%s\\n' "$json";;
load) count; [ ! -f "$file" ] && [ ! -d "$6" ] || holds=holds; printf '%s %s\\n' "$n" "$holds";;
read) mine; printf '%s\\n%s\\n' "$state" "$json";;
start) mine; [ "$state" = running ] || save running move || exit ${codes.unwritable};;
stop) mine; [ "$state" = stopped ] || save stopped move || exit ${codes.unwritable}; end;;
destroy)
load "$file" && [ "$found" = "$id" ] || exit 0
save stopped move || exit ${codes.unwritable}
end
if [ "$keep" = keep ]; then rmdir -- "$6" 2>/dev/null; else rm -rf -- "$6"; fi
rm -f -- "$file";;
list)
for file in "$dir"/*; do [ -f "$file" ] && load "$file" && printf '%s\\t%s\\t%s\\t%s\\n' "\${file##*/}" "$state" "$scope" "$json"; done
exit 0;;
esac`;
