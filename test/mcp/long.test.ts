/** A host that waits as long as hosts do, a hundred times faster: what runs longer than a call is read to its end. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultLimits } from '../../src/mcp/limits.ts';
import { openWorld, type World } from '../http/world.ts';
import { connect, kinds } from './hosts.ts';

/** Divisor of the times of a real host: 45 s for an answer of the service, 60 s that the host waits. */
const faster = 100;
const hostWaitsMs = 60_000 / faster;

let world: World;
beforeAll(async () => {
  world = await openWorld({
    mcpLimits: { ...defaultLimits, answerMs: 45_000 / faster, progressMs: 30 },
  });
});
afterAll(async () => await world[Symbol.asyncDispose]());

describe.concurrent.each(kinds)('with %s', (kind) => {
  const task = `long-${kind.replaceAll(' ', '-')}`;

  it(
    'a command of ten minutes is read to its end by a host that waits for one, without loss',
    { timeout: 60_000 },
    async () => {
      await using host = await connect(kind, { url: `${world.url}/mcp`, token: world.agent });
      await host.call('create_sandbox', { task }, { timeout: 20_000 });
      // Two bytes a character, of which half comes now and half later; and more than a page at its end.
      const command = `i=0; while [ $i -lt 60 ]; do printf 'line %s \\303' $i; sleep 0.1; printf '\\244\\n'; i=$((i+1)); done; seq 1 20000`;
      const timeout = hostWaitsMs + 10_000; // the machine of the test is slower than a hundredth of a host
      const begun = await host.call('run_command', { task, command }, { timeout });
      expect(begun.data).toMatchObject({ reason: 'running', exit_code: null });
      let { stdout: text, next, reason } = begun.data;
      let calls = 0;
      while (next !== null) {
        const read = await host.call(
          'read_output',
          { exec_id: begun.data.exec_id, after: next, wait_ms: 45_000 },
          { timeout },
        );
        text += read.data.stdout;
        ({ next, reason } = read.data);
        expect(read.data.missing_bytes).toBe(0);
        calls++;
      }
      const lines = Array.from({ length: 60 }, (_, index) => `line ${index} ä\n`);
      const numbers = Array.from({ length: 20_000 }, (_, index) => `${index + 1}\n`);
      expect(text).toBe([...lines, ...numbers].join(''));
      expect([reason, calls > 8]).toEqual(['exited', true]);
    },
  );
});

it.concurrent.each(kinds.slice(1))(
  'a session of which nothing is heard ends, and one with a call that runs does not (%s)',
  { timeout: 60_000 },
  async (kind) => {
    await using other = await openWorld({ mcpLimits: { ...defaultLimits, answerMs: 4000, idleMs: 3000 } });
    await using host = await connect(kind, { url: `${other.url}/mcp`, token: other.agent });
    const { data } = await host.call('run_command', { task: 'idle', command: 'sleep 20' });
    expect(data).toMatchObject({ reason: 'running' });
    await delay(5000);
    await expect(host.tools()).rejects.toThrow(/no such session/);
  },
);

it('a token has so many sessions of the old protocol, and the one that was longest unused makes room', async () => {
  await using other = await openWorld({ mcpLimits: { ...defaultLimits, maxSessions: 3 } });
  const token = await other.token('run', 'read');
  const open = async () => await connect('the old client', { url: `${other.url}/mcp`, token });
  const hosts = [await open(), await open(), await open()];
  for (const host of hosts.slice(0, 1)) await host.tools();
  const last = await open();
  await expect(last.tools()).resolves.toBeDefined();
  await expect(hosts[1]?.tools()).rejects.toThrow(/no such session/);
  // Those of another token are not counted.
  await using reader = await connect('the old client', { url: `${other.url}/mcp`, token: await other.token('read') });
  await expect(reader.tools()).resolves.toBeDefined();
  await expect(hosts[0]?.tools()).resolves.toBeDefined();
});

it('a call that waits when the service stops is answered with where to go on, and its sessions end', async () => {
  await using other = await openWorld();
  const host = await connect('the old client', { url: `${other.url}/mcp`, token: other.agent });
  await host.call('create_sandbox', { task: 'stopping' });
  const call = host.call('run_command', { task: 'stopping', command: 'echo begun; sleep 30' });
  await expect.poll(async () => (await other.api.execs.list()).items.length, { timeout: 20_000 }).toBe(1);
  await delay(2000);
  const stopping = other.serving.stop();
  expect((await call).data).toMatchObject({ reason: 'running', stdout: 'begun\n' });
  await stopping;
});
