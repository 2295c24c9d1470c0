import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:net';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEntrance, removeEntrance, writeEntrance } from '../../src/lib/entrance.ts';
import { startTimeOf } from '../../src/lib/start-time.ts';
import { listenInside } from '../../src/egress/enter.ts';

/** Namespaces for `unshare`: root makes one of networks alone, other users need a user namespace for it. */
const apart = process.getuid?.() === 0 ? ['--net'] : ['--user', '--map-root-user', '--net'];
const text = 'ip link set lo up; echo up; exec sleep 100';

const entranceOf = (pid: number) => ({ pid, startedAt: startTimeOf(pid) ?? expect.unreachable() });

describe.skipIf(process.platform !== 'linux')('the entrance of a network namespace', () => {
  let inside: ChildProcess;
  let pid = 0;
  beforeAll(async () => {
    inside = spawn('unshare', [...apart, '--', 'sh', '-c', text], { stdio: ['ignore', 'pipe', 'inherit'] });
    pid = inside.pid ?? expect.unreachable();
    if (inside.stdout !== null) await once(inside.stdout, 'data');
  });
  afterAll(() => void inside.kill('SIGKILL'));

  /** A client in the namespace. */
  const ask = async (): Promise<string> => {
    const into = process.getuid?.() === 0 ? ['-n'] : ['-U', '-n', '--preserve-credentials'];
    const script = `require('net').connect(3128, '127.0.0.1').on('error', (e) => console.log(e.code)).pipe(process.stdout)`;
    const client = spawn('nsenter', ['-t', String(pid), ...into, '--', process.execPath, '-e', script]);
    return (await client.stdout.toArray()).join('');
  };
  const closed = async (server: Server): Promise<unknown> => {
    server.close();
    return await once(server, 'close');
  };

  it('is listened on from outside, and nowhere else (NE-19)', async () => {
    const listener = await listenInside(entranceOf(pid));
    listener.on('connection', (socket) => socket.end('from outside'));
    expect(await ask()).toBe('from outside');
    const [error] = await once(connect(3128, '127.0.0.1'), 'error');
    expect(error).toMatchObject({ code: 'ECONNREFUSED' });
    await expect(listenInside(entranceOf(pid))).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('EADDRINUSE'),
    });
    await closed(listener);
    expect(await ask()).toBe('ECONNREFUSED\n');
  });

  it('is never that of the host, nor of a process that is gone', async () => {
    await expect(listenInside(entranceOf(process.pid))).rejects.toThrow('the network of the host');
    await expect(listenInside({ pid, startedAt: '1' })).rejects.toThrow('its process is gone');
    await expect(listenInside({ pid: 2 ** 22 + 1, startedAt: '1' })).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('is read as it was written, while its process lives', () => {
    const directory = mkdtempSync(join(tmpdir(), 'caisson-entrance-'));
    expect(readEntrance(directory)).toBe(null);
    writeEntrance(directory, pid);
    expect(readEntrance(directory)).toEqual(entranceOf(pid));
    for (const wrong of ['', '{}', `{"pid":${pid},"startedAt":"1"}`, `{"pid":-1,"startedAt":"1"}`, 'x'.repeat(1e6)]) {
      writeFileSync(join(directory, 'entrance'), wrong);
      expect(readEntrance(directory)).toBe(null);
    }
    removeEntrance(directory);
    removeEntrance(directory);
    writeEntrance(directory, 2 ** 22 + 1);
    expect(readEntrance(directory)).toBe(null);
    rmSync(directory, { recursive: true });
  });
});
