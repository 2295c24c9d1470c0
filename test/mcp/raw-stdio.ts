/** The server on streams of a test, which writes the messages of a host itself: also those that no honest host sends. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { openCaisson } from '../../src/main.ts';
import { embedded, serveOnStdio } from '../../src/mcp/stdio.ts';
import type { CaissonApi } from '../../src/service/api.ts';
import type { Loose } from './hosts.ts';

export interface RawHost extends AsyncDisposable {
  readonly api: CaissonApi;
  readonly root: string;
  /** Calls run_command in the new protocol, or the tool that `more` names. */
  readonly call: (args: object, more?: object) => Promise<Loose>;
  /** The first message that comes after a request for notifications. */
  readonly listen: (notifications: object) => Promise<Loose>;
  /** Writes a line as it is. */
  readonly write: (line: string) => void;
  /** The server has ended. */
  readonly served: Promise<void>;
}

export async function rawHost(config = '', given?: string): Promise<RawHost> {
  const root = given ?? mkdtempSync(join(tmpdir(), 'caisson-mcp-raw-'));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700, recursive: true });
  writeFileSync(join(home, 'config.yaml'), `terminal: {backend: local}\n${config}`, { mode: 0o600 });
  const env = { PATH: process.env['PATH'], HOME: root, CAISSON_SECURITY_TIRITH_ENABLED: 'false' };
  const api = await openCaisson({ home, env, cwd: root, approver: 'queue' });
  const stdin = new PassThrough();
  const stdout = new PassThrough();
  const end = new AbortController();
  const served = serveOnStdio(embedded(api), { stdin, stdout, signal: end.signal, say: () => undefined });
  const waiting = new Map<number, (message: Loose) => void>();
  createInterface(stdout).on('line', (line) => {
    const message: Loose = JSON.parse(line);
    (waiting.get(message.id) ?? listening)?.(message);
  });
  let id = 0;
  let listening: ((message: Loose) => void) | undefined;
  return {
    api,
    root,
    served,
    listen: async (notifications) => {
      const { promise, resolve } = Promise.withResolvers<Loose>();
      listening = resolve;
      const params = { notifications, _meta: meta };
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 'listen', method: 'subscriptions/listen', params })}\n`);
      return await promise;
    },
    write: (line) => void stdin.write(`${line}\n`),
    call: async (args, more = {}) => {
      const params = { name: 'run_command', arguments: args, _meta: meta, ...more };
      const message = { jsonrpc: '2.0', id: ++id, method: 'tools/call', params };
      const answered = new Promise<Loose>((resolve) => waiting.set(id, resolve));
      stdin.write(`${JSON.stringify(message)}\n`);
      return (await answered).result;
    },
    [Symbol.asyncDispose]: async () => {
      stdin.end();
      await served;
      await api.close();
      if (given === undefined) rmSync(root, { recursive: true, force: true });
    },
  };
}

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
};
