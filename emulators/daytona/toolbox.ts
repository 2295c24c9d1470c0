/** What serves a running sandbox from inside: terminals, shells that stay, and what has been set for new processes. */
import type { Box } from './box.ts';
import { ShellSession } from './shell-session.ts';
import { daemonError } from './refuse.ts';
import { Terminal, type TerminalOptions } from './terminal.ts';

export class Toolbox {
  readonly terminals = new Map<string, Terminal>();
  readonly sessions = new Map<string, ShellSession>();
  readonly box: Box;

  constructor(box: Box) {
    this.box = box;
  }

  openTerminal(options: TerminalOptions): Terminal {
    if (this.terminals.has(options.id)) throw daemonError(409, 'PTY session already exists', 'PTY_SESSION_EXISTS');
    const terminal = new Terminal(this.box, options, () => this.terminals.delete(options.id));
    this.terminals.set(options.id, terminal);
    return terminal;
  }

  terminal(id: string): Terminal {
    const found = this.terminals.get(id);
    if (found !== undefined) return found;
    throw daemonError(404, 'PTY session not found', 'PTY_SESSION_NOT_FOUND');
  }

  openSession(id: string): void {
    if (this.sessions.has(id)) throw daemonError(409, 'session already exists', 'SESSION_ALREADY_EXISTS');
    this.sessions.set(id, new ShellSession(this.box, id));
  }

  session(id: string): ShellSession {
    const found = this.sessions.get(id);
    if (found !== undefined) return found;
    throw daemonError(404, 'session not found', 'SESSION_NOT_FOUND');
  }

  closeSession(id: string): void {
    this.session(id).end();
    this.sessions.delete(id);
  }

  /** Ends with the sandbox. */
  end(): void {
    for (const terminal of this.terminals.values()) terminal.kill();
    for (const session of this.sessions.values()) session.end();
    this.terminals.clear();
    this.sessions.clear();
  }
}
