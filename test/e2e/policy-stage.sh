# Runs each command of a list in a shell that sees nothing but stand-ins, and writes down what it ran.
# Arguments: the list (commands ended by NUL), an empty directory to become the stage, names of stand-ins.
# Must start as root of its own mount, process and network namespaces, with nothing but PATH in its environment.
set -eu
list=$1 stage=$2
shift 2
mount --make-rprivate /
commands=$(mktemp)
cp "$list" "$commands"
exec 8< "$commands"
rm "$commands"
mount -o remount,bind,ro /
mount -t tmpfs -o size=16m stage "$stage"
mkdir "$stage/bin" "$stage/work"
for name in "$@"; do printf '#!/bin/sh\nexit 0\n' > "$stage/bin/$name"; done
chmod 755 "$stage"/bin/*
cd "$stage/work"
touch a b
number=0
while IFS= read -r -d '' command <&8; do
  number=$((number + 1))
  printf '\n@ %d\n' "$number"
  PATH="$stage/bin" BASH_XTRACEFD=9 /bin/bash --norc --noprofile -x -c "$command" 9>&1 > /dev/null 2> /dev/null < /dev/null 8<&- || :
done
printf '\n@ files\n'
ls -A "$stage/work"
