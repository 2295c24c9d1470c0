/**
 * What a shell alone takes to start commands as a lane has to: each in a child, in a session of its own. No request, no
 * answer, no service: nothing that goes through a shell can be faster.
 */
const script = `
each=$1 workers=$2; shift 2
work() { n=0; while [ "$n" -lt "$each" ]; do ( exec setsid "$@" ) </dev/null >/dev/null; n=$((n+1)); done; }
while [ "$workers" -gt 0 ]; do work "$@" & workers=$((workers-1)); done
wait`;

/** Runs `command` so many times in each of so many shells at once. */
export function bareCommand(
  command: readonly string[],
  { each, workers }: { readonly each: number; readonly workers: number },
): readonly [string, ...string[]] {
  return ['sh', '-c', script, 'bare', String(each), String(workers), ...command];
}
