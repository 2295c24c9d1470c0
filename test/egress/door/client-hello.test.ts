import { once } from 'node:events';
import { connect as connectTls } from 'node:tls';
import { connect, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { maxFirstBytes, readHello } from '../../../src/egress/door/client-hello.ts';
import { extension, helloBytes, records, serverName } from './hello.ts';

/** What a client of Node's own sends. */
async function realHello(servername: string | null): Promise<Buffer> {
  await using server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const client = connectTls({ socket: connect(port, '127.0.0.1'), ...(servername === null ? {} : { servername }) });
  client.on('error', () => undefined);
  const [socket] = await once(server, 'connection');
  const [bytes] = await once(socket, 'data');
  client.destroy();
  socket.destroy();
  return bytes;
}

describe('a TLS hello', () => {
  it('of a real client gives the name that it asks for', async () => {
    const bytes = await realHello('A.example');
    expect(readHello(bytes)).toEqual({ kind: 'hello', serverName: 'a.example' });
    expect(readHello(await realHello(null))).toEqual({ kind: 'hello', serverName: null });
    for (let end = 0; end < bytes.length; end += 1) expect(readHello(bytes.subarray(0, end))).toEqual({ kind: 'part' });
    expect(readHello(Buffer.concat([bytes, Buffer.from('more')]))).toMatchObject({ kind: 'hello' });
  });

  it('is read across records', () => {
    const message = helloBytes([serverName('a.example')]);
    expect(readHello(records(message, 9))).toEqual({ kind: 'hello', serverName: 'a.example' });
    expect(readHello(records(message, 40))).toMatchObject({ reason: expect.stringContaining('too many records') });
  });

  it.each([
    ['plain HTTP', Buffer.from('GET / HTTP/1.1\r\n')],
    ['SSH', Buffer.from('SSH-2.0-OpenSSH_9.2\r\n')],
    ['another record', Buffer.from([23, 3, 1, 0, 1, 0])],
    ['another message', records(Buffer.from([2, 0, 0, 1, 0]), 4)],
    ['an empty record', Buffer.from([22, 3, 1, 0, 0])],
    ['a record that is too long', Buffer.from([22, 3, 1, 0xff, 0xff])],
    ['a version before SSL 3', Buffer.from([22, 2, 0, 0, 1])],
    ['a hello that is too long', records(Buffer.from([1, 0xff, 0, 0]), 1)],
    ['a hello that is cut off', records(Buffer.from([1, 0, 0, 1, 3]), 1)],
    ['a name twice', records(helloBytes([serverName('a.example'), serverName('b.example')]), 1)],
    ['two names in one list', records(helloBytes([serverName('a.example', 'b.example')]), 1)],
    ['an encrypted name', records(helloBytes([serverName('a.example'), extension(0xfe0d, Buffer.from([0]))]), 1)],
    ['a name with a zero', records(helloBytes([serverName('a.example\0.b.example')]), 1)],
    ['an empty name', records(helloBytes([serverName('')]), 1)],
    ['an extension that is longer than the list', records(helloBytes([Buffer.from([0, 0, 0xff, 0xff])]), 1)],
    ['something behind its extensions', records(helloBytes([serverName('a.example')], Buffer.from([1])), 1)],
  ])('is refused when it is %s', (_, bytes) => expect(readHello(bytes)).toMatchObject({ kind: 'refused' }));

  it('of any bytes is read without a throw, and is no part of one for ever', () => {
    const message = records(helloBytes([serverName('a.example')]), 1);
    for (let at = 0; at < message.length; at += 1)
      for (const value of [0, 1, 0x7f, 0xff]) {
        const changed = Buffer.from(message);
        changed[at] = value;
        expect(['part', 'hello', 'refused']).toContain(readHello(changed).kind);
      }
    for (const size of [1, 5, 16_384]) {
      const one = Buffer.concat([Buffer.from([22, 3, 1, size >> 8, size & 255]), Buffer.alloc(size, 1)]);
      const many = Buffer.concat(Array.from({ length: Math.ceil(maxFirstBytes / one.length) + 1 }, () => one));
      expect(readHello(many).kind).toBe('refused');
    }
  });
});
