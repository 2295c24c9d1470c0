import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { open } from '../../../backends/docker/backend.ts';

const sockets = new Set<Socket>();
const engine = createServer((socket) => void sockets.add(socket.on('error', () => {})));
let directory: string;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'caisson-hung-'));
  await once(engine.listen(join(directory, 'sock')), 'listening');
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  engine.close();
  await rm(directory, { recursive: true });
});

it('is over although the engine takes connections and answers nothing', async () => {
  const backend = open({ env: { DOCKER_HOST: `unix://${join(directory, 'sock')}` }, instance: 'hung' });
  const giveUp = new AbortController();
  const asked = backend.guarantees({ signal: giveUp.signal });
  await once(engine, 'connection');
  giveUp.abort();
  await expect(asked).rejects.toMatchObject({ code: 'canceled' });
  await expect(backend.close()).resolves.toBeUndefined();
});
