import { createServer, connect, type Server, type Socket } from 'node:net';
import { randomBytes } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { open } from '../../../backends/daytona/backend.ts';
import { sh } from '../../conformance/command.ts';
import { startDaytonaHere, whyNoDaytona } from '../../engines/daytona.ts';
import { instance, options, spec } from './place.ts';

const why = whyNoDaytona();
const emulator = why === null ? await startDaytonaHere() : null;
afterAll(() => emulator?.close());

/** Keeps what each connection sends, and what of it a WebSocket carries, without its mask (RFC 6455, 5.3). */
class Recorder {
  readonly heads: Buffer[] = [];
  readonly frames: Buffer[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #port = 0;

  constructor(port: number) {
    this.#server = createServer((socket) => {
      const upstream = connect(port, '127.0.0.1');
      const sent: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => {
        sent.push(chunk);
        upstream.write(renamed(chunk, this.#port, port));
      });
      upstream.on('data', (chunk: Buffer) => socket.write(renamed(chunk, port, this.#port)));
      for (const each of [socket, upstream]) {
        this.#sockets.add(each);
        each.on('error', () => undefined);
      }
      upstream.on('close', () => socket.destroy());
      socket.on('close', () => {
        upstream.destroy();
        this.#keep(Buffer.concat(sent));
      });
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    if (address !== null && typeof address === 'object') this.#port = address.port;
    return this.#port;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  #keep(bytes: Buffer): void {
    const end = bytes.indexOf('\r\n\r\n') + 4;
    const isSocket = /upgrade: websocket/i.test(bytes.subarray(0, end).toString('latin1'));
    this.heads.push(isSocket ? bytes.subarray(0, end) : bytes);
    if (isSocket) this.frames.push(unmasked(bytes.subarray(end)));
  }
}

/** The service answers only to its own name, and names itself in answers. Both names are of one length. */
function renamed(chunk: Buffer, from: number, to: number): Buffer {
  return Buffer.from(chunk.toString('latin1').replaceAll(`127.0.0.1:${from}`, `127.0.0.1:${to}`), 'latin1');
}

function unmasked(bytes: Buffer): Buffer {
  const found: Buffer[] = [];
  for (let at = 0; at + 6 <= bytes.length;) {
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const wide = short === 126 ? 2 : short === 127 ? 8 : 0;
    const length = wide === 2 ? bytes.readUInt16BE(at + 2) : wide === 8 ? Number(bytes.readBigUInt64BE(at + 2)) : short;
    const mask = bytes.subarray(at + 2 + wide, at + 6 + wide);
    const from = at + 6 + wide;
    const masked = bytes.subarray(from, from + length);
    found.push(Buffer.from(masked.map((byte, index) => byte ^ (mask[index % 4] ?? 0))));
    at = from + length;
  }
  return Buffer.concat(found);
}

it.skipIf(why !== null)(
  'secrets of a command travel in frames of its terminal alone, others nowhere, and no file in the sandbox keeps them',
  { timeout: 60_000 },
  async () => {
    if (emulator === null) return;
    const port = Number(new URL(emulator.environment['DAYTONA_API_URL'] ?? '').port);
    const recorder = new Recorder(port);
    const through = await recorder.listen();
    const secret = (): string => `secret-${randomBytes(12).toString('hex')}`;
    const [hidden, declared] = [Array.from({ length: 20 }, secret), Array.from({ length: 20 }, secret)];
    const undeclared = Object.fromEntries(hidden.map((value, index) => [`HIDDEN_${index}`, value]));
    const env = { ...undeclared, ...emulator.environment, DAYTONA_API_URL: `http://127.0.0.1:${through}/api` };
    const backend = open({ env, instance, settings: {} });
    const sandbox = await backend.create(spec, options());
    const shown = Object.fromEntries(declared.map((value, index) => [`SHOWN_${index}`, value]));
    expect((await sh(sandbox, 'env | grep -c ^SHOWN_', { env: shown })).stdout.toString()).toBe('20\n');
    const places = '/dev/shm /tmp /root /workspace /etc /proc/[0-9]*/cmdline';
    const found = await sh(sandbox, `grep -rlE "$P" ${places} 2>/dev/null; true`, { env: { P: declared.join('|') } });
    expect(found.stdout.toString()).toBe('');
    await sandbox.destroy();
    await backend.close();
    await recorder.close();
    const [requests, frames] = [recorder.heads, recorder.frames].map((each) => Buffer.concat(each).toString('latin1'));
    expect([...hidden, ...declared].filter((value) => requests?.includes(value))).toEqual([]);
    expect(hidden.filter((value) => frames?.includes(value))).toEqual([]);
    // What is searched is what was sent.
    expect(declared.filter((value) => !frames?.includes(value))).toEqual([]);
    expect(requests).toContain('dev.caisson.sandbox');
  },
);
