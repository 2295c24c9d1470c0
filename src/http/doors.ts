/**
 * More handles of the socket on which a server listens. libuv accepts one connection of a handle in a turn of the event loop. When a
 * turn takes long, every client would wait behind all connections that others have opened, also those that need no token.
 */
import { type ChildProcess, type SendHandle, spawn } from 'node:child_process';
import { createServer, type Server, type Socket } from 'node:net';

/** A service with fewer connections at once has no line of waiting ones, and starts no process. */
const crowd = 32;
const defaultDoors = 15;
/** Node duplicates a handle only as it passes one to another process, and this one passes it back. */
const echo = "process.on('message', (text, handle) => process.send(text, handle, () => handle.close()))";

/** Opens them once, when the server has many connections. `close` ends them, and those that are under way. */
export class Doors {
  readonly #server: Server;
  readonly #doors: Server[] = [];
  readonly #max: number;
  #open = 0;
  #echo: ChildProcess | null = null;
  #isOver = false;

  constructor(server: Server, max = defaultDoors) {
    this.#server = server;
    this.#max = max;
    server.on('connection', (socket: Socket) => this.#opened(socket));
  }

  get count(): number {
    return this.#doors.length;
  }

  close(): void {
    this.#isOver = true;
    this.#echo?.kill('SIGKILL');
    for (const door of this.#doors) door.close();
  }

  /** The limit of the server counts connections of its own handle alone. */
  #opened(socket: Socket): void {
    this.#open += 1;
    socket.once('close', () => (this.#open -= 1));
    if (this.#open > (this.#server.maxConnections ?? Infinity)) socket.destroy();
    else if (this.#open >= crowd && this.#echo === null && !this.#isOver) this.#duplicate();
  }

  /** A failure leaves the server with the handles that it has. */
  #duplicate(): void {
    const handle: unknown = Reflect.get(this.#server, '_handle');
    if (!isHandle(handle)) return;
    const child = spawn(process.execPath, ['-e', echo], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], env: {} });
    this.#echo = child;
    child.on('error', () => {});
    child.on('message', (_text, duplicate) => this.#openDoor(duplicate, child));
    child.unref();
    for (let sent = 0; sent < this.#max; sent++) child.send('door', handle, () => {});
  }

  #openDoor(handle: unknown, child: ChildProcess): void {
    const door = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
      this.#server.emit('connection', socket);
    });
    door.on('error', () => {});
    door.listen({ _handle: handle });
    if (this.#isOver) door.close();
    else if (this.#doors.push(door) === this.#max) child.disconnect();
  }
}

const isHandle = (value: unknown): value is NonNullable<SendHandle> => typeof value === 'object' && value !== null;
