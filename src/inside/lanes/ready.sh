#!/bin/sh
# A child of a lane that stands ready: it leads its own session already, reads the request itself and becomes the command. It
# takes the request that has its tag, and no other: what was meant for a child that is gone runs nowhere.
#
# $1 tag, $2 seconds without a line after which it ends, $3 `-a` where the shell would prefer programs of its own to those on
# PATH, and has to be given the path. It has its text from descriptor 7.
exec 7<&-
_cz_take_locale
_cz_tag=$1 _cz_named=$3
_cz_bound_by "$2"
_cz_find env
_cz_env=$_cz_found
_cz_newline='
'
_cz_now() {
  [ "$1" = "$_cz_tag" ] || return 0
  _cz_nonce=$2
  if ! cd -- "$3"; then
    _cz_no_directory
    exit 126
  fi
  shift 3
  _cz_become "$@"
}
_cz_exec() {
  case $_cz_named$1 in
    -a*/*) ;;
    -a*)
      _cz_name=$1
      shift
      # bash and busybox have `exec -a`, and this is reached in no other shell.
      # shellcheck disable=SC3038
      exec -a "$_cz_name" "$_cz_found" "$@" </dev/null >&8 2>&9 8>&- 9>&-
      ;;
  esac
  exec "$@" </dev/null >&8 2>&9 8>&- 9>&-
}
_cz_serve
# At the end of input, or of the bound: any status may be a command's.
kill -USR1 $PPID
exit 77
