/**
 * What runs inside the sandbox for detached processes. POSIX sh, the same in busybox ash, dash and bash.
 *
 * A process has a directory `ID` with:
 *   command        one line of JSON, from us
 *   pid            supervisor: "PID START EPOCH"; START is field 22 of proc(5) stat, so that a reused pid is recognized
 *   child          the command itself: "PID START"
 *   out, err       what it wrote, each up to the limit; out.cut, err.cut when there was more
 *   exit           "STATUS EPOCH OPEN TICKS", written last by rename; OPEN is 1 when somebody still held a stream, TICKS
 *                  are the hundredths of a second that the command took, by no clock that can be set
 *
 * `mkdir ID` is the lock: the same id never runs twice. The supervisor carries another id in its environment than the
 * command, so that an end of the command's tree leaves it alone to record the exit.
 *
 * Names have a prefix: a shell that changes a variable of its environment changes it for the command too.
 */
import { baseScript } from '../../inside/kept.ts';

/** What these scripts go by themselves. A command's own comes as `_cz_NAME`, and takes its name at last. */
export const heldNames: readonly string[] = ['HOME', 'PATH', 'XDG_STATE_HOME', 'IFS'];

export const statuses = { exists: 71, noTools: 72, tooMany: 73, unknown: 74 } as const;

const bornScript = `
born() { _cz_b_x=; { IFS= read -r _cz_b_x <"/proc/$1/stat"; } 2>/dev/null; [ -n "$_cz_b_x" ] || return 1; set -- \${_cz_b_x##*) }; case $1 in Z | X) return 1;; esac; _cz_b_born=\${20}; }
`;

/**
 * $1 command id, $2 blocks of 512 bytes for each stream, $3 the umask of the command, $4 its directory; the rest is argv.
 *
 * cat under a file size limit is live and exact, where head would buffer. Its limit is in blocks of 512 bytes, and of 1024 in a
 * bash that is not in POSIX mode. Settles on the end of the command and a second more, not on a daemon that holds the
 * streams; what such a one writes later is still kept. TERM goes to the command, never to the supervisor.
 */
const supervisorScript = `${bornScript}
_cz_id=$1 _cz_blocks=$2 _cz_old=$3 _cz_at=$4 _cz_setsid=$(command -v setsid); shift 4
case \${BASH_VERSION+x}:\${SHELLOPTS-} in x:*posix*) ;; x:*) _cz_blocks=$((_cz_blocks/2));; esac
trap : HUP INT TERM
put() { printf '%s\\n' "$2" >".$1" && mv ".$1" "$1"; }
lim() { ( ulimit -f $_cz_blocks; exec cat >"$1" ) 2>/dev/null || { : >"$1.cut"; exec cat >/dev/null; }; }
lim out <o & _cz_a=$!
lim err <e & _cz_b=$!
born $$ || _cz_b_born=0
put pid "$$ $_cz_b_born $(date +%s)"
( IFS= read -r _cz_b_y </proc/self/stat; put child "$(set -- \${_cz_b_y%% *} \${_cz_b_y##*) }; echo "$1 \${21}")"
umask "$_cz_old"; cd -- "$_cz_at" || exit 126
CAISSON_EXEC=$_cz_id; export CAISSON_EXEC; unset OLDPWD
for _cz_x in ${heldNames.join(' ')}; do eval "case \\\${_cz_$_cz_x+x} in x) $_cz_x=\\$_cz_$_cz_x; export $_cz_x; unset _cz_$_cz_x;; esac"; done
exec "$_cz_setsid" -- "$@" ) </dev/null >o 2>e
_cz_s=$? _cz_open=0 _cz_i=0 _cz_t=-
{ read -r _cz_x _cz_b_born <child && read -r _cz_x _cz_y </proc/uptime; } 2>/dev/null
case $_cz_x in *.??) _cz_t=$((\${_cz_x%.*}*100+1\${_cz_x#*.}-100-_cz_b_born)); [ $_cz_t -ge 0 ] || _cz_t=-;; esac
rm -f o e
while kill -0 $_cz_a 2>/dev/null || kill -0 $_cz_b 2>/dev/null; do
[ $_cz_i -lt 20 ] || { _cz_open=1; break; }
sleep 0.05; _cz_i=$((_cz_i+1))
done
put exit "$_cz_s $(date +%s) $_cz_open $_cz_t"
wait`;

/** Removes processes that ended more than $1 minutes ago, and the oldest ended ones beyond 64. Prints what went. */
const pruneFunction = `
ended() { [ -e "$1/exit" ] || [ ! -e "$1/pid" ] || { read -r _cz_p_a _cz_p_b _cz_p_c <"$1/pid" && read -r _cz_p_d _cz_p_e <"$1/child" && ! same "$_cz_p_a" "$_cz_p_b" && ! same "$_cz_p_d" "$_cz_p_e"; } 2>/dev/null; }
same() { born "$1" && [ "$_cz_b_born" = "$2" ]; }
drop() { [ -n "$_cz_dry" ] || rm -rf "./$1"; printf '%s\\n' "$1"; }
prune() {
for _cz_p in exec_*; do ended "$_cz_p" && [ -n "$(find "./$_cz_p" -maxdepth 0 -mmin "+$1")" ] && drop "$_cz_p"; done
_cz_n=0; for _cz_p in $(ls -t); do case $_cz_p in exec_*) ;; *) continue;; esac
ended "$_cz_p" && { _cz_n=$((_cz_n+1)); [ $_cz_n -le 64 ] || drop "$_cz_p"; }; done
}
`;

/**
 * $1 key, $2 id, $3 blocks, $4 minutes to keep ended ones, $5 one line of JSON; the rest is argv. Starts in the directory
 * of the command. \`setsid\` forks when it is called by the leader of a process group, which a place makes of what it
 * starts; started with \`&\` instead, the command would ignore SIGINT and SIGQUIT for good.
 */
export const startScript = `_cz_at=$(pwd)${baseScript('processes')}
${bornScript}${pruneFunction}
_cz_id=$2 _cz_blocks=$3 _cz_keep=$4 _cz_meta=$5; shift 5
command -v setsid >/dev/null && command -v mkfifo >/dev/null || exit ${statuses.noTools}
cd -- "$_cz_base" || exit 1
[ ! -e "$_cz_id" ] || exit ${statuses.exists}
_cz_dry=; prune "$_cz_keep" >/dev/null 2>&1
_cz_n=0; for _cz_p in exec_*; do _cz_n=$((_cz_n+1)); done
[ $_cz_n -le 256 ] || exit ${statuses.tooMany}
mkdir "$_cz_id" 2>/dev/null || exit ${statuses.exists}
cd "$_cz_id" && printf '%s\\n' "$_cz_meta" >command && mkfifo o e || exit 1
CAISSON_EXEC=supervisor; export CAISSON_EXEC
IFS= read -r _cz_b_x <"/proc/$$/stat"; _cz_b_x=$(set -- \${_cz_b_x##*) }; echo "$3")
if [ "$_cz_b_x" = $$ ]; then exec setsid sh -c '${quoted(supervisorScript)}' caisson-supervisor "$_cz_id" "$_cz_blocks" "$_cz_old" "$_cz_at" "$@" </dev/null >/dev/null 2>&1; fi
setsid sh -c '${quoted(supervisorScript)}' caisson-supervisor "$_cz_id" "$_cz_blocks" "$_cz_old" "$_cz_at" "$@" </dev/null >/dev/null 2>&1 &
`;

/**
 * $1 key, $2 an id, or empty for all. One line each, fields parted by spaces, "-" for what is not there:
 * ID supervisor-pid alive child-pid alive started status ended open ticks cuts young JSON
 * One that ends while this looks is looked at again: its status is there before its supervisor goes.
 */
export const listScript = `${baseScript('processes')}${bornScript}
cd -- "$_cz_base" || exit 1
alive() { born "$1" && [ "$_cz_b_born" = "$2" ] && return; return 1; }
show() {
p=- pb= at=- c=- cb= s=- e=- o=- t=- cut=- pa=n ca=n young=n j=
[ -d "$1" ] || return
{ read -r s e o t <"$1/exit"; read -r p pb at <"$1/pid"; read -r c cb <"$1/child"; IFS= read -r j <"$1/command"; } 2>/dev/null
[ "$s" != - ] || { alive "$p" "$pb" && pa=y; alive "$c" "$cb" && ca=y; [ ! -e "$1/exit" ] || [ -n "$2" ] || { show "$1" again; return; }; }
[ ! -e "$1/out.cut" ] || cut=o; [ ! -e "$1/err.cut" ] || cut=$cut.e
[ "$p" != - ] && [ "$c" != - ] || [ -n "$(find "./$1" -maxdepth 0 -mmin +1)" ] || young=y
printf '%s %s %s %s %s %s %s %s %s %s %s %s %s\\n' "$1" "\${p:--}" $pa "\${c:--}" $ca "\${at:--}" "\${s:--}" "\${e:--}" "\${o:--}" "\${t:--}" $cut $young "$j"
}
if [ -n "$2" ]; then show "$2" ''; else n=0; for i in exec_*; do [ $n -lt 1000 ] && show "$i" ''; n=$((n+1)); done; fi
:`;

/**
 * $1 key, $2 id, $3 $4 offsets in out and err, $5 rounds of 0.2 s, 0 for a single look. Says what is there from the
 * offsets on, each stream on its own, and follows. Looks whether the process has ended before it reads, so that
 * nothing is left behind. Status 0: ended and said whole; 75: there may be more.
 */
export const followScript = `${baseScript('processes')}${bornScript}
cd -- "$_cz_base/$2" 2>/dev/null || exit ${statuses.unknown}
alive() { read -r a_p a_b a_x <"$1" && born "$a_p" && [ "$_cz_b_born" = "$a_b" ]; }
over() { [ -e exit ] || { [ -n "$(find . -maxdepth 0 -mmin +1)" ] || [ -e child ]; } && ! alive pid && ! alive child && sleep 0.1; } 2>/dev/null
[ -e out ] || : >>out; [ -e err ] || : >>err
exec 3<out 4<err
over && last=y || last=
tail -c "+$(($3+1))" <&3; tail -c "+$(($4+1))" <&4 >&2
n=0
while [ -z "$last" ]; do
[ $n -lt $5 ] || exit 75
sleep 0.2; n=$((n+1))
over && last=y
cat <&3; cat <&4 >&2
done
exit 0`;

/** $1 key, $2 id, $3 rounds of 0.1 s. Status 0 when it has ended, 75 when not yet. */
export const waitScript = `${baseScript('processes')}${bornScript}
cd -- "$_cz_base/$2" 2>/dev/null || exit ${statuses.unknown}
alive() { read -r a_p a_b a_x <"$1" && born "$a_p" && [ "$_cz_b_born" = "$a_b" ]; }
n=0
while [ ! -e exit ]; do
if [ -e child ] && ! alive pid && ! alive child; then sleep 0.1; break; fi 2>/dev/null
[ $n -lt $3 ] || exit 75
sleep 0.1; n=$((n+1))
done
exit 0`;

/** $1 key, $2 id, $3 a signal without SIG. To the command's session, when it is still the same process. */
export const signalScript = `${baseScript('processes')}${bornScript}
cd -- "$_cz_base/$2" 2>/dev/null || exit ${statuses.unknown}
read -r p b <child && born "$p" && [ "$_cz_b_born" = "$b" ] || exit 0
kill -s "$3" -- "-$p" 2>/dev/null || kill -s "$3" "$p"`;

/** $1 key, $2 minutes, $3 not empty: only say what would go. */
export const pruneScript = `${baseScript('processes')}${bornScript}${pruneFunction}
cd -- "$_cz_base" || exit 1
_cz_dry=$3
prune "$2" 2>/dev/null`;

/** As a single-quoted word of a shell. */
function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}
