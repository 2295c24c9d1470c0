import { expect, it } from 'vitest';
import { openSocket } from '../../../src/client/web/socket.ts';
import type { Socket } from '../../../src/client/web/types.ts';

class Sending extends EventTarget implements Socket {
  binaryType = '';
  readonly bufferedAmount = 0;
  isClosed = false;

  send(): void {}

  close(): void {
    this.isClosed = true;
  }

  bring(data: unknown): void {
    this.dispatchEvent(Object.assign(new Event('message'), { data }));
  }
}

it.each([
  ['long', 'x'.repeat(1024 * 1024), 17],
  ['empty', '', 1_000_000],
])('a service that sends %s messages faster than they are read is left', async (_what, data, count) => {
  const socket = new Sending();
  const opening = openSocket(socket);
  socket.dispatchEvent(new Event('open'));
  const { messages } = await opening;
  for (let sent = 0; sent < count; sent += 1) socket.bring(data);
  expect(socket.isClosed).toBe(true);
  await expect(Array.fromAsync(messages)).rejects.toMatchObject({
    code: 'internal',
    message: 'the service sent more than was read',
  });
});
