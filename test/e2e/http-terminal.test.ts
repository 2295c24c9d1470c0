/** Terminals in a container through `caisson serve`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerHost } from '../engines/docker.ts';
import { openSocket } from '../http/raw.ts';
import { type Home, makeHome } from './home.ts';
import { openOn, type Service } from './http-service.ts';

let home: Home;
let service: Service;

beforeAll(async () => {
  home = await makeHome(dockerHost());
  service = await openOn(home, 'docker');
}, 120_000);
afterAll(async () => {
  await service.ask('/v1/sandboxes/build', { method: 'DELETE' }).catch(() => undefined);
  await service.stop();
  await home[Symbol.asyncDispose]();
}, 60_000);

const pty = (query: string): string => `${service.url}/v1/sandboxes/build/pty?${query}`;

it('images of the engine are listed', async () => {
  const { items } = Object(await (await service.ask('/v1/images')).json());
  expect(items.length).toBeGreaterThan(0);
});

describe('a terminal over HTTP', () => {
  it('takes keys, gives output as bytes, changes its size, and ends with the exit (OH-15)', async () => {
    const { socket, events, output, until, closed } = await openSocket(pty('columns=100&rows=30'), {
      token: service.token,
    });
    socket.send(Buffer.from('stty size; echo ready\n'));
    await until(() => output().includes('30 100'));
    socket.send(JSON.stringify({ type: 'resize', columns: 120, rows: 40 }));
    socket.send(Buffer.from('sleep 0.1; stty size\n'));
    await until(() => output().includes('40 120'));
    socket.send(Buffer.from('exit 7\n'));
    expect(await closed).toBe(1000);
    expect(events[0]).toMatchObject({ type: 'started' });
    expect(events.at(-1)).toMatchObject({ type: 'exit', exit: { exitCode: 7 } });
  });

  it('takes Ctrl-C and Ctrl-D', async () => {
    const { socket, output, until, closed } = await openSocket(pty('command=sh'), { token: service.token });
    socket.send(Buffer.from('sleep 100; echo after-$((1+1))\n'));
    await until(() => output().includes('sleep 100'));
    await new Promise((resolve) => setTimeout(resolve, 200));
    socket.send(Buffer.from('\u0003'));
    socket.send(Buffer.from('echo alive-$((40+2))\n'));
    await until(() => output().includes('alive-42'));
    socket.send(Buffer.from('\u0004'));
    expect(await closed).toBe(1000);
  });

  it('goes on without its socket, and a new one reads on where the old one was', async () => {
    const first = await openSocket(pty('execId=exec_term'), { token: service.token });
    first.socket.send(Buffer.from('echo one-$((1))\n'));
    await first.until(() => first.output().includes('one-1'));
    await first.until(() => first.events.at(-1)?.['type'] === 'position');
    const seq = Number(first.events.findLast(({ type }) => type === 'position')?.['seq']);
    first.socket.terminate();
    await first.closed;
    const second = await openSocket(pty(`execId=exec_term&after=${seq}`), { token: service.token });
    second.socket.send(Buffer.from('echo two-$((2))\n'));
    await second.until(() => second.output().includes('two-2'));
    expect(second.output()).not.toContain('one-1');
    second.socket.send(JSON.stringify({ type: 'cancel' }));
    expect(await second.closed).toBe(1000);
    expect(second.events.at(-1)).toMatchObject({ type: 'exit', exit: { reason: 'canceled' } });
  });

  it('in a sandbox that there is not says so, and closes', async () => {
    const { events, closed } = await openSocket(`${service.url}/v1/sandboxes/none/pty`, { token: service.token });
    expect(await closed).toBe(1008);
    expect(events).toMatchObject([{ type: 'error', error: { code: 'not_found' } }]);
  });
});
