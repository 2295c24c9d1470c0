/** One command in a sandbox, behind the client of Apptainer that waits for it on the host. */
import type { Readable, Writable } from 'node:stream';
import { constants } from 'node:os';
import type { Outputs, Process, ProcessEnd } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { Output } from '../shared/output.ts';
import { systemError, systemCode } from '../shared/system-fault.ts';
import type { Cgroup } from './cgroup.ts';
import { hostPid, type Inside } from './host-processes.ts';

export interface Client {
  readonly process: Process;
  readonly nonce: string;
  readonly namespace: string;
  readonly stdin: boolean;
  readonly cgroup: Cgroup | null;
}

export class SingularityProcess implements Process {
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The shell's answer: that it is about to become the command, or why not. */
  readonly head: Promise<string>;
  readonly #client: Client;
  readonly #outputs: readonly Output[];
  readonly #end: Promise<ProcessEnd>;
  readonly #killsBefore: number;
  #inside: Inside | null = null;
  #over = false;

  constructor(client: Client) {
    this.#client = client;
    const [stdout, stderr] = [client.process.stdout, client.process.stderr].map(
      (stream) => new Output(stream, client.nonce, noShellError),
    );
    if (stdout === undefined || stderr === undefined) throw new CaissonError('internal', 'a process has two streams');
    this.#outputs = [stdout, stderr];
    this.stdout = stdout.stream;
    this.stderr = stderr.stream;
    this.head = stdout.head;
    this.stdin = client.stdin ? client.process.stdin : null;
    this.#killsBefore = client.cgroup?.memoryKills() ?? 0;
    this.#end = this.#ended();
    this.#end.catch(() => undefined);
  }

  /** Known from the head on. */
  set inside(inside: Inside) {
    this.#inside = inside;
  }

  wait(): Promise<ProcessEnd> {
    return this.#end;
  }

  /** The client's pipes are those of the command: it hands its own on. */
  outputs(): Promise<Outputs> {
    return this.#client.process.outputs();
  }

  /** To the group that the command leads. Its client on the host ends with it. */
  async kill(signal: string): Promise<void> {
    const number = Object.entries(constants.signals).find(([name]) => name === signal)?.[1];
    if (number === undefined) throw new CaissonError('invalid_argument', `there is no signal ${signal}`);
    if (this.#over || this.#inside === null) return;
    const pid = await hostPid(this.#client.namespace, this.#inside);
    try {
      if (pid !== null) process.kill(-pid, number);
    } catch (error) {
      if (systemCode(error) !== 'ESRCH') throw systemError(error, `send ${signal}`);
    }
  }

  release(): void {
    for (const { stream } of this.#outputs) stream.destroy();
    this.#client.process.release();
  }

  /** A client ends by the signal that ended its command. When the command is there still, somebody ended the client. */
  async #ended(): Promise<ProcessEnd> {
    const { process: client, namespace, cgroup } = this.#client;
    const end = await client.wait();
    this.#over = true;
    if (end.signal !== null && this.#inside !== null && (await hostPid(namespace, this.#inside)) !== null)
      throw new CaissonError('unavailable', 'the client of Apptainer ended, and the command runs on: its end is lost');
    return { ...end, outOfMemory: (cgroup?.memoryKills() ?? 0) > this.#killsBefore };
  }
}

export function noShellError(): CaissonError {
  return new CaissonError('unavailable', 'no shell came up in the container', {
    remedy: 'look whether the image has /bin/sh, setsid and head, and whether the sandbox has processes left',
  });
}
