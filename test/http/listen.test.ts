import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CaissonError } from '../../src/errors.ts';
import { notListening, type ListenAddress } from '../../src/http/not-listening.ts';
import { holderOf, listenersOn } from '../../src/http/port-holder.ts';
import { openWorld } from './world.ts';

const place: ListenAddress = { host: '127.0.0.1', port: 7480, socket: null };
const listenError = (code: string): Error => Object.assign(new Error(`listen ${code}`), { code });

/** A port of this process on which something listens. */
async function takenPort(): Promise<{ readonly port: number } & AsyncDisposable> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('it has no port');
  return {
    port: address.port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

describe('a service whose port is in use', () => {
  it('says which, and by which process', async () => {
    await using taken = await takenPort();
    await expect(openWorld({ settings: { port: taken.port } })).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(`^port ${taken.port} of 127.0.0.1 is in use by process ${process.pid} \\(.+\\)$`),
      remedy: expect.stringContaining('--port'),
      details: { pid: process.pid },
    });
  });

  it('says so where the process is not to be seen', () => {
    expect(notListening(listenError('EADDRINUSE'), place, () => null)).toMatchObject({
      message: 'port 7480 of 127.0.0.1 is in use by another process',
    });
  });
});

describe('the holder of a port', () => {
  const line = (local: string, state: string, inode: number): string =>
    `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1 0000000000000000`;

  it('is who listens on it, and not who is connected', () => {
    const table = [
      '  sl  local_address rem_address   st',
      line('0100007F:1D38', '0A', 11),
      line('0100007F:1D38', '01', 12),
    ];
    expect(listenersOn(7480, [...table, line('0100007F:1D39', '0A', 13)].join('\n'))).toEqual(['11']);
  });

  it('is null for a port on which nothing listens', async () => {
    const taken = await takenPort();
    await taken[Symbol.asyncDispose]();
    expect(holderOf(taken.port)).toBeNull();
  });
});

describe('a service that cannot listen', () => {
  it.each([
    ['EACCES', 'this user may not listen on port 7480 of 127.0.0.1'],
    ['EADDRNOTAVAIL', '127.0.0.1 is not an address of this host'],
    ['ENOTFOUND', '127.0.0.1 is not an address of this host'],
  ])('says why: %s', (code, message) => {
    expect(notListening(listenError(code), place)).toMatchObject({ code: 'failed_precondition', message });
  });

  it('says what is wrong with the path of its socket', async () => {
    const root = mkdtempSync(join(tmpdir(), 'caisson-listen-'));
    const socket = join(root, 'none', 'x.sock');
    await expect(openWorld({ settings: { socket } })).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining(`a socket cannot be made at ${socket}: `),
    });
    rmSync(root, { recursive: true });
  });

  it('leaves other errors as they are', () => {
    const errors = [listenError('EMFILE'), new CaissonError('conflict', 'another service listens')];
    for (const error of errors) expect(notListening(error, { ...place, socket: '/x' })).toBe(error);
  });
});
