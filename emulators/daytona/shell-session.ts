/**
 * One shell that stays, which sources one command after the other. As at the service, output is kept by lines: NUL bytes are
 * lost and a last newline is added; `exit` in a command ends the shell, and that command never gets an exit code.
 */
import { type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Command, Session } from '@daytona/toolbox-api-client';
import { asset } from '../../src/lib/asset.ts';
import { type Box, endProcess } from './box.ts';
import { daemonError } from './refuse.ts';

const maxLogBytes = 16 * 2 ** 20;
const marks = { stdout: Buffer.from([1, 1, 1]), stderr: Buffer.from([2, 2, 2]) } as const;

export interface SessionCommand {
  readonly id: string;
  readonly command: string;
  readonly log: Buffer[];
  exitCode: number | null;
  over: boolean;
}

/** Emits `log` with a command and a piece of its output, and `over` with a command. */
export class ShellSession extends EventEmitter {
  readonly id: string;
  readonly #shell: ChildProcess;
  readonly #commands: SessionCommand[] = [];
  #bytes = 0;
  #rest = '';

  constructor(box: Box, id: string) {
    super();
    this.setMaxListeners(100);
    this.id = id;
    this.#shell = box.spawn({ argv: ['/bin/sh', '-c', asset('emulators/daytona/session.sh')] });
    this.#shell.stdin?.on('error', () => undefined); // Reported by its exit.
    this.#shell.stderr?.resume();
    this.#shell.stdout?.setEncoding('latin1').on('data', (text: string) => this.#read(text));
    this.#shell.once('close', () => this.#shellEnded());
  }

  run(command: string): SessionCommand {
    if (this.#shell.exitCode !== null || this.#shell.signalCode !== null)
      throw daemonError(410, 'the session has ended', 'SESSION_ENDED');
    const added: SessionCommand = { id: randomUUID(), command, log: [], exitCode: null, over: false };
    this.#commands.push(added);
    this.#shell.stdin?.write(`${added.id} ${Buffer.from(command).toString('base64')}\n`);
    return added;
  }

  command(id: string): SessionCommand {
    const found = this.#commands.find((each) => each.id === id);
    if (found !== undefined) return found;
    throw daemonError(404, 'command not found', 'COMMAND_NOT_FOUND');
  }

  info(): Session {
    return { sessionId: this.id, commands: this.#commands.map(commandInfo) };
  }

  end(): void {
    const { pid } = this.#shell;
    if (pid !== undefined) endProcess(-pid);
  }

  /** Lines of session.sh: which command, which stream or its end, and the text in base64. */
  #read(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const [id, kind, data = ''] = line.split(' ');
      const command = this.#commands.find((each) => each.id === id);
      if (command === undefined) continue;
      if (kind === 'exit') this.#over(command, Number(data));
      else if (kind === 'stdout' || kind === 'stderr')
        this.#log(command, Buffer.concat([marks[kind], Buffer.from(data, 'base64')]));
    }
  }

  #log(command: SessionCommand, piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > maxLogBytes) return;
    command.log.push(piece);
    this.emit('log', command, piece);
  }

  #over(command: SessionCommand, exitCode: number | null): void {
    command.exitCode = exitCode;
    command.over = true;
    this.emit('over', command);
  }

  #shellEnded(): void {
    for (const command of this.#commands) if (!command.over) this.#over(command, null);
  }
}

export function commandInfo({ id, command, exitCode }: SessionCommand): Command {
  return { id, command, ...(exitCode === null ? {} : { exitCode }) };
}
