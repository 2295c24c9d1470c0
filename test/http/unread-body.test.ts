/** A refused body comes whole before its connection closes: the answer reaches a client that writes first and reads then. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(async () => await world[Symbol.asyncDispose]());

/** All that comes back; each part of the body is written after the one before has left. */
async function answerTo(bytes: number): Promise<string> {
  const head = [
    'POST /v1/sandboxes HTTP/1.1',
    `Host: 127.0.0.1:${world.port}`,
    `Authorization: Bearer ${world.agent}`,
    'Content-Type: application/json',
    `Content-Length: ${bytes}`,
  ];
  const socket = connect(world.port, '127.0.0.1').on('error', () => undefined);
  const write = async (part: string): Promise<void> =>
    await new Promise((resolve, reject) => socket.write(part, (error) => (error ? reject(error) : resolve())));
  await write([...head, '', ''].join('\r\n'));
  const part = 'x'.repeat(65_536);
  for (let sent = 0; sent < bytes; sent += part.length) await write(part.slice(0, bytes - sent));
  let text = '';
  socket.setEncoding('utf8').on('data', (more) => (text += String(more)));
  await once(socket, 'end');
  return text;
}

it('a body that is too large is refused when it has come whole', async () => {
  const text = await answerTo(4 * 2 ** 20);
  expect(text).toMatch(/^HTTP\/1\.1 413 [^]*"reason":"too-large"/);
});

it('a body of more than 16 MiB is refused before it has come', async () => {
  const socket = connect(world.port, '127.0.0.1');
  const type = 'Content-Type: application/json\r\nContent-Length: 99999999999';
  socket.write(
    `POST /v1/sandboxes HTTP/1.1\r\nHost: 127.0.0.1:${world.port}\r\nAuthorization: Bearer ${world.agent}\r\n${type}\r\n\r\n{`,
  );
  const [answer] = await once(socket, 'data');
  socket.destroy();
  expect(String(answer)).toContain('HTTP/1.1 413 ');
});
