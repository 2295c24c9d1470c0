#!/bin/sh
# Runs a detached command in the directory of its process, and records how it ended.
#
# $1 command id, $2 blocks of 512 bytes for each stream, $3 names of variables that the command's own values came for as `_cz_NAME`;
# the rest is argv. In $_cz_umask and $_cz_at, from `start.sh`: the umask of the command, and its directory.
#
# Settles on the end of the command and a second more, not on a daemon that holds the streams; what such a one writes later
# is still kept. TERM goes to the command, never to the supervisor.
_cz_id=$1 _cz_blocks=$2 _cz_held=$3 _cz_setsid=$(command -v setsid)
shift 3
# The limit is in blocks of 512 bytes, and of 1024 in a bash that is not in POSIX mode.
# shellcheck disable=SC3028
case ${BASH_VERSION+x}:${SHELLOPTS-} in
  x:*posix*) ;;
  x:*) _cz_blocks=$((_cz_blocks / 2)) ;;
esac
trap : HUP INT TERM
put() { printf '%s\n' "$2" >".$1" && mv ".$1" "$1"; }
# cat under a file size limit is live and exact, where head would buffer.
keep() {
  (
    ulimit -f "$_cz_blocks"
    exec cat >"$1"
  ) 2>/dev/null || {
    : >"$1.cut"
    exec cat >/dev/null
  }
}
# The input stays open between two writers: the holder has it open, and ends when it is ended, or with the supervisor, which
# holds the other end of its own input. It writes nothing. Inherited and not opened, no end of it waits for the other.
if [ -p in ]; then
  exec 5<>hold 6<>in
  cat <hold >&6 5>&- 6>&- &
  born $! || _cz_born=0
  put holder "$! $_cz_born"
  exec 7<in 6>&-
else
  exec 7</dev/null
fi
(keep out) <o 5>&- 7<&- &
_cz_out_keeper=$!
(keep err) <e 5>&- 7<&- &
_cz_err_keeper=$!
born $$ || _cz_born=0
put pid "$$ $_cz_born $(date +%s)"
(
  IFS= read -r _cz_stat </proc/self/stat
  # shellcheck disable=SC2086
  put child "$(set -- ${_cz_stat%% *} ${_cz_stat##*) } && echo "$1 ${21}")"
  umask "$_cz_umask"
  cd -- "$_cz_at" || exit 126
  CAISSON_EXEC=$_cz_id
  export CAISSON_EXEC
  unset OLDPWD _cz_umask _cz_at
  for _cz_name in $_cz_held; do
    eval "case \${_cz_$_cz_name+x} in x) $_cz_name=\$_cz_$_cz_name; export $_cz_name; unset _cz_$_cz_name ;; esac"
  done
  exec "$_cz_setsid" -- "$@"
) <&7 7<&- >o 2>e 5>&-
_cz_status=$? _cz_open=0 _cz_rounds=0 _cz_ticks=- _cz_uptime=
{ read -r _ _cz_born <child && read -r _cz_uptime _ </proc/uptime; } 2>/dev/null
case $_cz_uptime in
  *.??)
    # 1 in front: hundredths such as 08 would be octal.
    _cz_ticks=$((${_cz_uptime%.*} * 100 + 1${_cz_uptime#*.} - 100 - _cz_born))
    [ "$_cz_ticks" -ge 0 ] || _cz_ticks=-
    ;;
esac
exec 5>&- 7<&-
rm -f o e in hold
while kill -0 "$_cz_out_keeper" 2>/dev/null || kill -0 "$_cz_err_keeper" 2>/dev/null; do
  if [ "$_cz_rounds" -ge 20 ]; then
    _cz_open=1
    break
  fi
  sleep 0.05
  _cz_rounds=$((_cz_rounds + 1))
done
put exit "$_cz_status $(date +%s) $_cz_open $_cz_ticks"
wait
