/** A socket with what faults do to it: half of the round trip each way, and a cut after so many bytes. */
import type { WebSocket } from 'ws';
import type { Faults } from './faults.ts';

/** Delays the messages of a socket. Order is kept: every message of one direction waits equally long. */
export function slowed(socket: WebSocket, faults: Faults): WebSocket {
  cutAfter(socket, faults.nextCut());
  const halfMs = faults.latencyMs / 2;
  if (halfMs === 0) return socket;
  const { send, emit, close } = {
    send: socket.send.bind(socket),
    emit: socket.emit.bind(socket),
    close: socket.close.bind(socket),
  };
  const isOpen = (): boolean => socket.readyState === socket.OPEN;
  socket.send = (data: Parameters<WebSocket['send']>[0]) => void setTimeout(() => isOpen() && send(data), halfMs);
  socket.close = (code, reason) => void setTimeout(() => close(code, reason), halfMs);
  socket.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event !== 'message') return emit(event, ...args);
    setTimeout(() => emit(event, ...args), halfMs);
    return true;
  };
  return socket;
}

function cutAfter(socket: WebSocket, bytes: number | null): void {
  if (bytes === null) return;
  let left = bytes;
  const count = (length: number): void => {
    left -= length;
    if (left <= 0) socket.terminate();
  };
  const send = socket.send.bind(socket);
  socket.send = (data: Parameters<WebSocket['send']>[0]) => {
    count(Buffer.isBuffer(data) ? data.length : 0);
    if (socket.readyState === socket.OPEN) send(data);
  };
  socket.on('message', (data: Buffer) => count(data.length));
}
