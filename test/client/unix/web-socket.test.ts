import { createHash } from 'node:crypto';
import { createServer as createHttp } from 'node:http';
import { describe, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { http, opened, raw } from './services.ts';

/** Opens the WebSocket, and writes these bytes. */
function sending(bytes: Buffer): ReturnType<typeof createHttp> {
  return createHttp().on('upgrade', (request, socket) => {
    const key = createHash('sha1').update(
      `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`,
    );
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nsec-websocket-accept: ${key.digest('base64')}\r\n\r\n`);
    socket.write(bytes);
  });
}

describe('a WebSocket over a unix socket', () => {
  it('exchanges texts and bytes of all lengths, in parts and with pings between', async () => {
    const server = createHttp();
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket) => {
      socket.on('message', (data: Buffer, isBinary) => {
        const half = data.length >> 1;
        socket.send(data.subarray(0, half), { binary: isBinary, fin: false });
        socket.ping('still there?');
        socket.send(data.subarray(half), { binary: isBinary, fin: true });
      });
    });
    const wire = await (await opened(server)).open('/', {});
    const messages = wire.messages[Symbol.asyncIterator]();
    for (const length of [0, 1, 125, 126, 65_535, 65_536, 3_000_000]) {
      await wire.send('é'.repeat(length));
      expect((await messages.next()).value).toBe('é'.repeat(length));
      const bytes = Buffer.alloc(length, 7);
      await wire.send(bytes);
      expect(bytes.equals((await messages.next()).value as Uint8Array)).toBe(true);
    }
    wire.close();
    wire.close();
    expect((await messages.next()).done).toBe(true);
  });

  it('ends when the service closes it in order, and throws when it is cut', async () => {
    const server = createHttp();
    const sockets = new WebSocketServer({ server });
    sockets.on('connection', (socket, { url }) => {
      socket.send('last');
      if (url === '/cut') setTimeout(() => socket.terminate(), 20);
      else socket.close(1012);
    });
    const transport = await opened(server);
    const read = async (path: string): Promise<unknown[]> =>
      await Array.fromAsync((await transport.open(path, {})).messages);
    expect(await read('/close')).toEqual(['last']);
    await expect(read('/cut')).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('reports a service that refuses it, and one that speaks another protocol', async () => {
    const refusing = await http((_request, response) => response.end());
    const server = createHttp((_request, response) => response.end());
    server.on('upgrade', (_request, socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    await expect((await opened(server)).open('/', {})).rejects.toMatchObject({ code: 'permission_denied' });
    await expect(refusing.open('/', {})).rejects.toMatchObject({ code: 'unavailable' });
    const liar = await raw('HTTP/1.1 101 Switching Protocols\r\nsec-websocket-accept: x\r\n\r\n');
    await expect(liar.open('/', {})).rejects.toMatchObject({ code: 'internal' });
  });

  it.each([
    ['a mask', [0x82, 0x81, 0, 0, 0, 0, 1]],
    ['reserved bits', [0xc2, 1, 1]],
    ['a length beyond all bounds', [0x82, 127, 0x7f, 255, 255, 255, 255, 255, 255, 255]],
    ['a long ping', [0x89, 126, 1, 0]],
    ['a part without a start', [0x80, 1, 65]],
    ['an unknown kind', [0x83, 1, 65]],
    ['a text that is not UTF-8', [0x81, 1, 0xff]],
  ])('refuses a frame with %s', async (_what, frame) => {
    const { messages } = await (await opened(sending(Buffer.from(frame)))).open('/', {});
    await expect(Array.fromAsync(messages)).rejects.toMatchObject({ code: 'internal' });
  });

  it('refuses a message of parts without end, which hold no bytes and take memory all the same', async () => {
    const [start, empty] = [Buffer.from([0x02, 0]), Buffer.alloc(2 * 200_000)];
    const { messages } = await (await opened(sending(Buffer.concat([start, empty])))).open('/', {});
    await expect(Array.fromAsync(messages)).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('a message has too many parts'),
    });
  });
});
