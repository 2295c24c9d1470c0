/** What a defect is, and what many of them need. */
import { PassThrough, type Readable } from 'node:stream';
import type { Backend, CreateOptions, ExecOptions, Process, Sandbox } from '../../../src/backend.ts';

export type Command = readonly [string, ...string[]];
export type Exec = Sandbox['exec'];

export interface Defect {
  readonly about: string;
  /** Each of these cases must fail. */
  readonly found: readonly string[];
  readonly exec?: (exec: Exec, command: Command, options: ExecOptions) => Promise<Process>;
  readonly sandbox?: (sandbox: Sandbox) => Partial<Sandbox>;
  readonly create?: (options: CreateOptions) => Partial<CreateOptions>;
  /** What is put in the place of the sound backend's own. */
  readonly backend?: (sound: Backend) => Partial<Backend>;
}

/** `exec` with a change to the process it gives. */
export function on(change: (process: Process) => Partial<Process>): NonNullable<Defect['exec']> {
  return async (exec, command, options) => {
    const process = await exec(command, options);
    return changed(process, change(process));
  };
}

export function changed(process: Process, change: Partial<Process>): Process {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    wait: () => process.wait(),
    outputs: () => process.outputs(),
    kill: (signal) => process.kill(signal),
    release: () => process.release(),
    ...change,
  };
}

export function ended(): Readable {
  return new PassThrough().end();
}

/** A process that was never started, and is over with success. */
export function doneAtOnce(stdin: Process['stdin']): Process {
  return {
    stdin,
    stdout: ended(),
    stderr: ended(),
    wait: async () => ({ exitCode: 0, signal: null, outOfMemory: false }),
    outputs: async () => ({ is: 'ended' }),
    kill: async () => undefined,
    release: () => undefined,
  };
}

/** Ids of one concern: `each('exit', 'codes again')` is `exit.codes` and `exit.again`. */
export function each(concern: string, behaviours: string): readonly string[] {
  return behaviours.split(' ').map((behaviour) => `${concern}.${behaviour}`);
}
