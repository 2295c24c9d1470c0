import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { expect, it } from 'vitest';
import { ask } from '../../../../backends/docker/engine/rest.ts';

async function asking(answer: (response: ServerResponse) => void): Promise<unknown> {
  const directory = mkdtempSync(join(tmpdir(), 'caisson-rest-'));
  const socketPath = join(directory, 'engine.sock');
  const server = createServer((_request, response) => answer(response));
  await new Promise<void>((resolve) => server.listen(socketPath, resolve));
  try {
    const client = { docker: new Docker({ socketPath }), endpoint: 'a test' };
    return await ask(client, { what: 'ask', method: 'GET', path: '/info' });
  } finally {
    server.closeAllConnections();
    server.close();
    rmSync(directory, { recursive: true });
  }
}

it('reads an answer, and an empty one', async () => {
  expect(await asking((response) => response.end('{"a": 1}'))).toEqual({ a: 1 });
  expect(await asking((response) => response.writeHead(204).end())).toBeNull();
});

it('an answer that is cut off is an error, and does not hang', async () => {
  const cut = asking((response) => {
    response.writeHead(200, { 'Content-Length': 100 });
    response.write('{"a":');
    setTimeout(() => response.destroy(), 20);
  });
  await expect(cut).rejects.toMatchObject({ code: 'unavailable' });
});

it('a refusal keeps its status', async () => {
  const refused = asking((response) => response.writeHead(404).end('{"message": "no such thing"}'));
  await expect(refused).rejects.toMatchObject({ code: 'not_found' });
});
