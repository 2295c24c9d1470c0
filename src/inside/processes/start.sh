#!/bin/sh
# Starts a detached process.
#
# $1 key, $2 id, $3 minutes to keep ended ones, $4 one line of JSON, $5 y where the command has input. The supervisor and the command
# come in variables that begin with CAISSON_SUPERVISOR. Starts in the directory of the command.
_cz_at=$(pwd)
kept_directory processes "$1"
_cz_id=$2 _cz_keep=$3 _cz_meta=$4 _cz_input=$5
command -v setsid >/dev/null && command -v mkfifo >/dev/null || exit "$exit_no_tools"
cd -- "$_cz_base" || exit 1
[ ! -e "$_cz_id" ] || exit "$exit_exists"
_cz_dry=
prune "$_cz_keep" >/dev/null 2>&1
_cz_count=0
for _cz_each in exec_*; do _cz_count=$((_cz_count + 1)); done
[ "$_cz_count" -le 256 ] || exit "$exit_too_many"
# The lock: the same id never runs twice.
mkdir "$_cz_id" 2>/dev/null || exit "$exit_exists"
cd "$_cz_id" && printf '%s\n' "$_cz_meta" >./command && mkfifo o e || exit 1
[ -z "$_cz_input" ] || mkfifo in hold || exit 1
# Another id than the command's: an end of the command's tree leaves the supervisor alone to record the exit.
CAISSON_EXEC=supervisor
export CAISSON_EXEC _cz_umask _cz_at
# The supervisor expands it.
# shellcheck disable=SC2016
set -- sh -c 'eval "$CAISSON_SUPERVISOR"' caisson-supervisor
# `setsid` forks when it is called by the leader of a process group, which a place makes of what it starts; started with `&`
# instead, the command would ignore SIGINT and SIGQUIT for good.
IFS= read -r _cz_stat <"/proc/$$/stat"
# shellcheck disable=SC2086
_cz_group=$(set -- ${_cz_stat##*) } && echo "$3")
if [ "$_cz_group" = $$ ]; then exec setsid "$@" </dev/null >/dev/null 2>&1; fi
setsid "$@" </dev/null >/dev/null 2>&1 &
