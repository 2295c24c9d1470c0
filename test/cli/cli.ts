/** Runs command lines in this process, on the double and on streams that can be read afterwards. */
import { EventEmitter } from 'node:events';
import { PassThrough, Writable } from 'node:stream';
import { invoke } from '../../src/cli/invoke.ts';
import type { World } from '../../src/cli/world.ts';
import { configFile } from './double-data.ts';
import { Double, type Script } from './double.ts';

export class Screen extends Writable {
  readonly isTTY: boolean;
  readonly columns: number;
  readonly rows = 24;
  #bytes: Buffer[] = [];

  constructor(terminal = false, columns = 80) {
    super();
    this.isTTY = terminal;
    this.columns = columns;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#bytes);
  }

  get text(): string {
    return this.bytes.toString();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#bytes.push(chunk);
    done();
  }
}

export interface Setting extends Script {
  readonly env?: Record<string, string>;
  readonly terminal?: boolean;
  /** Somebody sits there and types the input. */
  readonly present?: boolean;
  readonly input?: string;
  readonly open?: World['embedded'];
  readonly stdout?: Screen;
}

export const noon = Date.parse('2026-01-02T12:00:00Z');

export async function cli(argv: readonly string[], setting: Setting = {}) {
  const [stdout, stderr] = [setting.stdout ?? new Screen(setting.terminal), new Screen(setting.terminal)];
  const double = new Double({ nowMs: () => noon, ...setting });
  const signals = new EventEmitter();
  const stdin = Object.assign(new PassThrough(), { isTTY: setting.present ?? false });
  stdin.end(setting.input ?? '');
  const abandoned: number[] = [];
  const exitCode = await invoke(argv, {
    env: setting.env ?? {},
    cwd: '/here',
    stdin,
    stdout,
    stderr,
    signals,
    nowMs: () => noon,
    open: setting.open ?? (() => Promise.resolve(double)),
    line: () => Promise.resolve(null),
    embedded: setting.open ?? (() => Promise.resolve(double)),
    settings: setting.open ?? (() => Promise.resolve(double)),
    configFile: () => Promise.resolve(configFile),
    abandon: (code) => void abandoned.push(code),
  });
  return {
    exitCode,
    stdout: stdout.text,
    stderr: stderr.text,
    bytes: stdout.bytes,
    double,
    listeners: signals.eventNames(),
  };
}
