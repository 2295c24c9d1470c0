#!/bin/sh
# One operation of the toolbox on files: $1 says which. Exits with 3 for what is absent, 4 for what is not permitted, 5 for what
# cannot be a file.
show() {
  stat -c '%f %s %U %G %Y %n' "$1" | tr '\n' '\000'
}
act=$1 path=$2
case $act in
  write)
    mkdir -p "${path%/*}/" || exit 4
    [ ! -d "$path" ] || exit 5
    cat >"$path.caisson-upload" || exit 4
    chmod 644 "$path.caisson-upload" && mv "$path.caisson-upload" "$path" || exit 4
    ;;
  read)
    [ -e "$path" ] || exit 3
    [ -f "$path" ] || exit 5
    exec cat "$path"
    ;;
  info)
    [ -e "$path" ] || exit 3
    show "$path"
    ;;
  list)
    [ -d "$path" ] || exit 3
    for each in "$path"/* "$path"/.[!.]*; do [ ! -e "$each" ] || show "$each"; done
    ;;
  folder) mkdir -p "$path" && chmod "$3" "$path" || exit 4 ;;
  remove)
    [ -e "$path" ] || exit 3
    if [ "$3" = true ]; then rm -rf "$path"; elif [ -d "$path" ]; then rmdir "$path"; else rm -f "$path"; fi || exit 4
    ;;
  move)
    [ -e "$path" ] || exit 3
    mv "$path" "$3" || exit 4
    ;;
  mode)
    [ -e "$path" ] || exit 3
    chmod "$3" "$path" || exit 4
    ;;
esac
