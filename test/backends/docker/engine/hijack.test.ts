import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer as createSocketServer, type Server } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { Channel } from '../../../../backends/docker/exec/channel.ts';
import { hijack } from '../../../../backends/docker/engine/hijack.ts';
import { encode } from '../frames.ts';

const endings: (() => void)[] = [];

afterEach(() => {
  for (const end of endings.splice(0)) end();
});

async function listen(server: Server): Promise<string> {
  const socket = `${mkdtempSync(join(tmpdir(), 'caisson-hijack-'))}/engine.sock`;
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  endings.push(() => {
    server.close();
    rmSync(join(socket, '..'), { recursive: true, force: true });
  });
  return socket;
}

const wayTo = (socketPath: string) => ({ tls: false, options: { socketPath }, endpoint: socketPath });

async function outputOf(socketPath: string, input: string): Promise<string> {
  const connection = await hijack(wayTo(socketPath), { what: 'try', path: '/exec/1/start', body: { Tty: false } });
  const channel = new Channel(connection, { tty: false, stdin: true });
  channel.stdin?.end(input);
  let text = '';
  for await (const chunk of channel.stdout) text += String(chunk);
  return text;
}

const frame = (text: string): Buffer => encode([{ type: 1, payload: Buffer.from(text) }]);

/** An engine that answers with these first bytes and then echoes, framed. */
function echo(first: Buffer) {
  return createSocketServer({ allowHalfOpen: true }, (socket) => {
    let head = '';
    let isOpen = false;
    socket.on('data', (chunk: Buffer) => {
      if (isOpen) socket.write(frame(chunk.toString()));
      else head += chunk.toString();
      if (isOpen || !head.includes('}')) return;
      isOpen = true;
      socket.write(first);
    });
    socket.on('end', () => socket.end());
    socket.on('error', () => socket.destroy());
  });
}

describe('hijacking a connection', () => {
  test('takes an upgrade, with bytes that came together with it', async () => {
    const head = 'HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n';
    const socket = await listen(echo(Buffer.concat([Buffer.from(head), frame('first ')])));
    expect(await outputOf(socket, 'echoed')).toBe('first echoed');
  });

  test('takes a 200 that hands the connection over without an upgrade', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/vnd.docker.raw-stream\r\n\r\n';
    const socket = await listen(echo(Buffer.concat([Buffer.from(head), frame('first ')])));
    expect(await outputOf(socket, 'echoed')).toBe('first echoed');
  });

  test.each([
    [404, 'not_found'],
    [409, 'failed_precondition'],
    [400, 'invalid_argument'],
    [503, 'unavailable'],
    [500, 'unavailable'],
  ])('classifies a refusal with %i as %s, and keeps the words out of the message where asked', async (status, code) => {
    const socket = await listen(
      createServer((_request, response) => {
        response.writeHead(status).end(JSON.stringify({ message: 'SECRET=1' }));
      }),
    );
    const attaching = { what: 'try', path: '/x', body: {} };
    const error: unknown = await hijack(wayTo(socket), { ...attaching, quiet: true }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code, message: expect.not.stringContaining('SECRET') });
    await expect(hijack(wayTo(socket), attaching)).rejects.toThrow('SECRET');
  });

  test('does not read a refusal without end', async () => {
    const socket = await listen(
      createServer((_request, response) => {
        response.writeHead(500);
        const flood = setInterval(() => response.write('x'.repeat(65_536)), 1);
        response.on('close', () => clearInterval(flood));
      }),
    );
    await expect(hijack(wayTo(socket), { what: 'try', path: '/x', body: {} })).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  test('sends nothing after the head of a request without a body (Podman would give it to the process)', async () => {
    const heard = Promise.withResolvers<string>();
    const socket = await listen(
      createSocketServer((client) => client.once('data', (all) => heard.resolve(String(all)))),
    );
    hijack(wayTo(socket), { what: 'try', path: '/x' }).catch(() => undefined);
    expect(await heard.promise).toMatch(/^POST \/x [^]*\r\nContent-Length: 0\r\n[^]*\r\n\r\n$/);
  });

  test('tells an engine that is not there', async () => {
    await expect(hijack(wayTo('/nowhere/docker.sock'), { what: 'try', path: '/x', body: {} })).rejects.toMatchObject({
      code: 'unavailable',
      remedy: expect.stringContaining('DOCKER_HOST'),
    });
  });
});
