/**
 * The first process of a sandbox that keeps a lane on its own streams, so that the first command needs no exec at all.
 *
 * As pid 1 a shell that waits for its child reaps every orphan. The lane runs in the foreground: started with `&` it
 * would leave SIGINT and SIGQUIT ignored in every command. A lane that a command killed is replaced on the same
 * streams; one that ends by itself found the end of its input, or no setsid, and the guardian then only sleeps.
 */
import { laneScript } from './script.ts';

const guardianScript = `
trap : HUP INT QUIT PIPE TERM
while :; do sh -c "$1" lane "$2"; case $? in 77 | 78) break;; esac; done
exec </dev/null >/dev/null 2>&1
while :; do sleep 2147483; done`;

export function guardianCommand(nonce: string): readonly [string, ...string[]] {
  return ['sh', '-c', guardianScript, 'guardian', laneScript, nonce];
}
