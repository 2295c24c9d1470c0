/** Faults are asked for on a unix socket that only its owner can open: one JSON line each, answered by one. */
import { createServer, type Server } from 'node:net';
import { chmodSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { type Fault, faultSchema } from './faults.ts';

const longestLine = 4096;

export async function listenForFaults(path: string, act: (fault: Fault) => Promise<void>): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined); // The asker has gone.
    const lines = createInterface({ input: socket });
    lines.on('line', (line) => void answer(line, act).then((text) => socket.write(`${text}\n`)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  chmodSync(path, 0o600);
  return server;
}

async function answer(line: string, act: (fault: Fault) => Promise<void>): Promise<string> {
  try {
    await act(faultSchema.parse(JSON.parse(line.slice(0, longestLine))));
    return JSON.stringify({ ok: true });
  } catch (error) {
    return JSON.stringify({ ok: false, error: error instanceof Error ? error.message.slice(0, 500) : 'failed' });
  }
}
