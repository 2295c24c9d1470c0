/** What is said in one turn leaves as one. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { GatheringSocket } from '../../../backends/ssh/gathering-socket.ts';

it('holds what is written in one turn until the turn is over, and keeps its order', async () => {
  const server = createServer((socket) => socket.pipe(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = new GatheringSocket();
  socket.connect((server.address() as AddressInfo).port, '127.0.0.1');
  await once(socket, 'connect');
  let echoed = '';
  socket.on('data', (chunk: Buffer) => (echoed += chunk.toString()));
  for (const turn of ['a', 'b']) {
    for (const piece of ['1', '2', '3']) socket.write(turn + piece);
    expect([socket.writableCorked, socket.writableLength]).toEqual([1, 6]);
    await new Promise(setImmediate);
    expect(socket.writableCorked).toBe(0);
  }
  socket.end();
  await once(socket, 'close');
  expect(echoed).toBe('a1a2a3b1b2b3');
  server.close();
});
