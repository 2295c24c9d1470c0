/** Stdin and terminals over WebSocket. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSocket } from './raw.ts';
import { everyLine, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ config: 'approvals: {mode: "off"}' });
  await world.ask('/v1/sandboxes', { body: { taskId: 'build' } });
});
afterAll(async () => await world[Symbol.asyncDispose]());

async function started(execId: string): Promise<void> {
  const state = () => world.ask(`/v1/sandboxes/build/execs/${execId}`, { headers: { accept: 'application/json' } });
  await expect.poll(async () => (await state()).status, { timeout: 20_000 }).toBe(200);
}

describe('the stdin of an exec', () => {
  it('comes through a socket, and its end ends it', async () => {
    const body = { command: ['cat'], stdin: true, execId: 'exec_cat' };
    const reading = world.ask('/v1/sandboxes/build/execs', { body }).then(everyLine);
    await started('exec_cat');
    const at = `${world.url}/v1/sandboxes/build/execs/exec_cat/stdin`;
    const { socket, events, closed } = await openSocket(at, { token: world.agent });
    for (let part = 0; part < 100; part++) socket.send(Buffer.from(`part ${part}\n`));
    socket.send(JSON.stringify({ type: 'end' }));
    expect(await closed).toBe(1000);
    expect(events.at(-1)).toMatchObject({ type: 'exit', exit: { exitCode: 0 } });
    const text = (await reading).map(({ type, data }) => (type === 'stdout' ? String(data) : '')).join('');
    expect(text).toBe(Array.from({ length: 100 }, (_, part) => `part ${part}\n`).join(''));
  });

  it('of more than the command takes at once ends too, and so does the socket', async () => {
    const text = 'x'.repeat(900_000);
    const body = { command: ['sh', '-c', 'sleep 0.5; wc -c'], stdin: true, execId: 'exec_wc' };
    const reading = world.ask('/v1/sandboxes/build/execs', { body }).then(everyLine);
    await started('exec_wc');
    const { socket, closed } = await openSocket(`${world.url}/v1/execs/exec_wc/stdin`, { token: world.agent });
    for (let part = 0; part < 3; part++) socket.send(Buffer.from(text));
    socket.send(JSON.stringify({ type: 'end' }));
    expect((await reading).find(({ type }) => type === 'stdout')?.['data']).toContain('2700000');
    expect(await Promise.race([closed, delay(5000, 'open')])).toBe(1000);
  });

  it('of an exec that there is not says so', async () => {
    const { events, closed } = await openSocket(`${world.url}/v1/sandboxes/build/execs/exec_no/stdin`, {
      token: world.agent,
    });
    expect(await closed).toBe(1008);
    expect(events).toMatchObject([{ error: { code: 'not_found' } }]);
  });

  it('takes no frame of more than a megabyte, and no text that is not control', async () => {
    const at = async (id: string): Promise<string> => {
      void world.ask('/v1/sandboxes/build/execs', { body: { command: ['cat'], stdin: true, execId: id } });
      await started(id);
      return `${world.url}/v1/sandboxes/build/execs/${id}/stdin`;
    };
    const large = await openSocket(await at('exec_large'), { token: world.agent });
    large.socket.on('error', () => undefined);
    large.socket.send(Buffer.alloc(2 * 1024 * 1024));
    expect(await large.closed).toBe(1009);
    const odd = await openSocket(await at('exec_odd'), { token: world.agent });
    odd.socket.send('rm -rf /');
    expect(await odd.closed).toBe(1008);
    for (const id of ['exec_large', 'exec_odd'])
      await world.ask(`/v1/sandboxes/build/execs/${id}`, { method: 'DELETE' });
  });
});

describe('a ticket', () => {
  const path = '/v1/sandboxes/build/pty?command=true';
  const ticketFor = async (at: string, token = world.agent): Promise<string> => {
    const response = await world.ask('/v1/tickets', { body: { path: at }, token });
    return `caisson.ticket.${String(Reflect.get(Object(await response.json()), 'ticket'))}`;
  };
  const open = (at: string, ticket: string) => openSocket(world.url + at, { protocols: ['caisson.v1', ticket] });

  it('opens one socket, once, and the answer does not repeat it', async () => {
    const ticket = await ticketFor(path);
    const { socket, closed } = await open(path, ticket);
    expect(socket.protocol).toBe('caisson.v1');
    await closed;
    await expect(open(path, ticket)).rejects.toThrow('401');
  });

  it('opens no other path, and is used up by the attempt', async () => {
    const ticket = await ticketFor(path);
    await expect(open('/v1/sandboxes/other/pty', ticket)).rejects.toThrow('401');
    await expect(open(path, ticket)).rejects.toThrow('401');
  });

  it('of a token that was removed opens nothing', async () => {
    const made = await world.api.tokens.create({ name: 'short', scopes: ['run'] }, 'test');
    const ticket = await ticketFor(path, made.token);
    await world.api.tokens.remove(made.id, 'test');
    await expect(open(path, ticket)).rejects.toThrow('401');
  });

  it('of a token whose time is over opens nothing', async () => {
    const made = await world.api.tokens.create({ name: 'brief', scopes: ['run'], lifetimeMs: 1000 }, 'test');
    const ticket = await ticketFor(path, made.token);
    await expect
      .poll(async () => (await world.ask('/v1/tickets', { body: { path }, token: made.token })).status, {
        timeout: 10_000,
      })
      .toBe(401);
    await expect(open(path, ticket)).rejects.toThrow('401');
  });

  it('is no token for a request', async () => {
    const ticket = (await ticketFor('/v1/sandboxes')).slice('caisson.ticket.'.length);
    expect((await world.ask('/v1/sandboxes', { token: ticket })).status).toBe(401);
  });

  it('ends after 30 seconds', async () => {
    const { Tickets } = await import('../../src/http/held/tickets.ts');
    let nowMs = 0;
    const tickets = new Tickets(() => nowMs);
    const token = world.agent;
    const { ticket } = tickets.issue(token, '/v1/a');
    nowMs = 30_000;
    expect(tickets.redeem(ticket, '/v1/a')).toBeNull();
    for (let count = 0; count < 100; count++) tickets.issue(token, '/v1/a');
    expect(() => tickets.issue(token, '/v1/a')).toThrow(/too many tickets/);
  });
});
