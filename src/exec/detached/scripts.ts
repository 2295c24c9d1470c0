/**
 * The scripts for detached processes, in `src/inside/processes/`. A process has a directory `ID` with:
 *
 *   command        one line of JSON, from us
 *   pid            supervisor: "PID START EPOCH"; START is field 22 of proc(5) stat, so that a reused pid is recognized
 *   child          the command itself: "PID START"
 *   in, hold       FIFOs, where the command has input: its stdin, and that of the holder, which keeps `in` open
 *   holder         "PID START" of the holder; it is alive as long as the input has not been ended
 *   out, err       what it wrote, each up to the limit; out.cut, err.cut when there was more
 *   exit           "STATUS EPOCH OPEN TICKS", written last by rename; OPEN is 1 when a stream was still held, TICKS are the
 *                  hundredths of a second that the command took, by no clock that can be set
 */
import { scriptOf } from '../../inside/script.ts';

/** What these scripts use themselves. A command's own value comes as `_cz_NAME`, and takes its name at last. */
export const heldNames: readonly string[] = ['HOME', 'PATH', 'XDG_STATE_HOME', 'IFS'];

/** Exit codes, as `born.sh` has them. */
export const statuses = { exists: 71, noTools: 72, tooMany: 73, unknown: 74, noInput: 75 } as const;

type Name = 'end-input' | 'follow' | 'input' | 'list' | 'remove' | 'signal' | 'start' | 'wait';

const needed: Readonly<Partial<Record<Name, string>>> = {
  start: 'processes/prune',
  remove: 'processes/prune',
  follow: 'processes/over',
};

/** The text of one. */
export function processScript(name: Name): string {
  const more = needed[name];
  return scriptOf('kept', 'processes/born', ...(more === undefined ? [] : [more]), `processes/${name}`);
}

export function supervisorScript(): string {
  return scriptOf('processes/born', 'processes/supervisor');
}
