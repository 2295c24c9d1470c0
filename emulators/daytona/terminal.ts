/** One terminal with a login shell on it, and the sockets that are attached to it. */
import { type ChildProcess, execFile } from 'node:child_process';
import type { PtySessionInfo } from '@daytona/toolbox-api-client';
import type { WebSocket } from 'ws';
import { asset } from '../../src/lib/asset.ts';
import { type Box, endProcess } from './box.ts';

/** A reader that does not keep up is dropped. */
const maxQueued = 256;

export interface TerminalOptions {
  readonly id: string;
  readonly rows: number;
  readonly cols: number;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

export class Terminal {
  readonly #child: ChildProcess;
  readonly #device: () => Promise<string>;
  readonly #sockets = new Set<WebSocket>();
  readonly #options: TerminalOptions;
  readonly #createdAt = new Date().toISOString();
  #size: { readonly rows: number; readonly cols: number };

  constructor(box: Box, options: TerminalOptions, onEnd: () => void) {
    this.#options = options;
    this.#size = options;
    const { cwd, env } = options;
    const argv = ['/bin/sh', '-c', asset('emulators/daytona/login.sh')];
    const { child, name } = box.terminal({ argv, cwd, env }, options);
    this.#child = child;
    this.#device = name;
    child.stdout?.on('data', (chunk: Buffer) => this.#broadcast(chunk));
    child.stdin?.on('error', () => undefined); // It has ended, which is reported by its exit.
    child.once('close', (code, signal) => {
      onEnd();
      this.#close(code ?? 128, signal);
    });
  }

  /** What is printed while no socket is attached is gone. */
  attach(socket: WebSocket): void {
    this.#sockets.add(socket);
    socket.on('message', (data: Buffer) => this.#child.stdin?.write(data));
    socket.once('close', () => this.#sockets.delete(socket));
    socket.send(JSON.stringify({ type: 'control', status: 'connected' }));
  }

  async resize(rows: number, cols: number): Promise<void> {
    this.#size = { rows, cols };
    const device = await this.#device();
    await new Promise<void>((resolve) => {
      // It may have ended meanwhile, and then there is nothing to be resized.
      execFile('stty', ['-F', device, 'rows', String(rows), 'cols', String(cols)], () => resolve());
    });
  }

  kill(): void {
    const { pid } = this.#child;
    if (pid !== undefined) endProcess(-pid);
  }

  info(): PtySessionInfo {
    const { id, cwd = '', env = {} } = this.#options;
    const active = this.#child.exitCode === null && this.#child.signalCode === null;
    return { id, cwd, envs: { ...env }, ...pick(this.#size), active, lazyStart: false, createdAt: this.#createdAt };
  }

  #broadcast(chunk: Buffer): void {
    for (const socket of this.#sockets) {
      if (socket.bufferedAmount > maxQueued * chunk.length && socket.bufferedAmount > 2 ** 20) socket.terminate();
      else socket.send(chunk);
    }
  }

  #close(exitCode: number, signal: NodeJS.Signals | null): void {
    const exit = { exitCode, ...(signal === null ? {} : { exitReason: signal }) };
    for (const socket of this.#sockets) {
      socket.send(JSON.stringify({ type: 'control', status: 'exited', ...exit }));
      socket.close(exitCode === 0 ? 1000 : 1011, JSON.stringify(exit));
    }
  }
}

function pick({ rows, cols }: { readonly rows: number; readonly cols: number }): {
  readonly rows: number;
  readonly cols: number;
} {
  return { rows, cols };
}
