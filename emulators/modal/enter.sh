# Becomes a command inside a sandbox. Arguments: the files of control groups to join, `--`, and what to become.
while [ "$1" != -- ]; do
  echo $$ >"$1" || exit 125
  shift
done
shift
exec "$@"
