/** A sandbox on a real sshd, and a door in between that can be slammed. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect } from 'vitest';
import { open } from '../../../backends/ssh/backend.ts';
import type { Backend, Limits, Sandbox } from '../../../src/backend.ts';
import { isCode } from '../../../src/errors.ts';
import { start } from '../../conformance/command.ts';
import { plainSpec } from '../../conformance/spec.ts';
import type { Sshd } from '../../engines/sshd.ts';

export function openOn(sshd: Sshd, settings: Readonly<Record<string, unknown>> = {}): Backend {
  return open({ env: sshd.env, instance: 'sshtest', settings: { ...sshd.settings, ...settings } });
}

export async function makeSandbox(
  backend: Backend,
  { task = 'task-1', limits = {} }: { readonly task?: string; readonly limits?: Partial<Limits> } = {},
): Promise<Sandbox> {
  const id = randomBytes(6).toString('hex');
  const created = new Date().toISOString();
  const labels = { instance: 'sshtest', sandbox: `sbx_${id}`, task, fingerprint: 'f1', created, schema: '1' };
  const spec = plainSpec('ssh', { cwd: '/', persistent: true });
  return await backend.create(
    { ...spec, limits: { ...spec.limits, ...limits } },
    {
      name: `caisson-${id}`,
      labels,
      directory: null,
      credentials: null,
      init: ['true'],
    },
  );
}

export interface Door {
  readonly port: number;
  /** Ends all connections that go through it, with a reset or in an orderly way. */
  cut(how: 'reset' | 'end'): void;
  /** All connections that go through it stay open, and nothing comes through any more. Later ones work. */
  stall(): void;
  close(): void;
}

/** Passes connections on to a port, in order and unchanged; no more than `max` at a time. */
export async function openDoor(port: number, max = Infinity): Promise<Door> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const server = createServer((inner) => {
    if (pairs.size >= max) {
      inner.destroy();
      return;
    }
    const outer = connect(port, '127.0.0.1');
    const pair = [inner, outer] as const;
    pairs.add(pair);
    inner.pipe(outer).pipe(inner);
    for (const [socket, other] of [pair, [outer, inner] as const]) {
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        other.destroy();
        pairs.delete(pair);
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port: mine } = server.address() as AddressInfo;
  const cut = (how: 'reset' | 'end'): void => {
    for (const [inner, outer] of pairs) {
      if (how === 'reset') inner.resetAndDestroy();
      else inner.end();
      outer.destroy();
    }
  };
  const stall = (): void => {
    for (const [inner, outer] of pairs) {
      inner.unpipe(outer).pause();
      outer.unpipe(inner).pause();
    }
  };
  const close = (): void => {
    cut('end');
    server.close();
  };
  return { port: mine, cut, stall, close };
}

/** How a command ended that exits with `code`, over a connection that may break meanwhile. */
export async function outcome(sandbox: Sandbox, text: string, code: number): Promise<'ended' | 'lost' | 'notStarted'> {
  let process;
  try {
    process = await start(sandbox, ['sh', '-c', text]);
  } catch (error) {
    expect(isCode(error, 'unavailable')).toBe(true);
    return 'notStarted';
  }
  for (const stream of [process.stdout, process.stderr]) stream.resume();
  try {
    expect(await process.wait()).toEqual({ exitCode: code, signal: null, outOfMemory: false });
    return 'ended';
  } catch (error) {
    if (!isCode(error, 'unavailable')) throw error;
    return 'lost';
  } finally {
    process.release();
  }
}
