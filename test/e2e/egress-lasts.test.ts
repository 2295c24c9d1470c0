/** A filtered network through the life of its sandbox, on each real engine: stop and start, other services, a dead proxy, changes. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import {
  attempts,
  closeAll,
  configure,
  type EgressPlace,
  openPlace,
  openService,
  placesHere,
} from './egress-places.ts';
import { proxyPid } from '../egress/proxy-pid.ts';
import { type Home, makeHome } from './home.ts';

/** A private address that this host has for the time of the test; no host is to be in its network. */
const address = '10.231.82.1';
const port = 8080;
const taskId = 'one';
const place = `${address}:${port}`;

const hex = (text: string): string => Buffer.from(text).toString('hex');
const connectTo = (authority: string): string => hex(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
/** Through the door to the origin and to what no rule opens, and past the door. */
const ways = [
  `door ${connectTo(place)} ${hex('hello')}`,
  `door ${connectTo(`${address}:80`)} ${hex(`GET / HTTP/1.1\r\nHost: ${address}\r\nConnection: close\r\n\r\n`)}`,
  `tcp ${address} ${port}`,
];
const asAllowed = ['200 from the origin', '200 403', 'Network is unreachable'];
/** Nothing listens, or what listens is closed at once. */
const asDead = [
  expect.stringMatching(/^(Connection refused)?$/),
  expect.stringMatching(/^(Connection refused)?$/),
  asAllowed[2],
];

describe.skipIf(placesHere.length === 0)('a filtered network', () => {
  let origin: Server;
  const held = new Set<Socket>();
  let connections = 0;
  beforeAll(async () => {
    execFileSync('ip', ['address', 'add', `${address}/32`, 'dev', 'lo']);
    origin = createServer((socket) => {
      connections += 1;
      held.add(socket.on('error', () => undefined).once('close', () => held.delete(socket)));
      // A client that waits stays, until it is cut.
      socket.on('data', (chunk: Buffer) => void (chunk.includes('wait') || socket.end('from the origin')));
    });
    origin.listen(port, address);
    await once(origin, 'listening');
  });
  afterAll(async () => {
    for (const socket of held) socket.destroy();
    await new Promise((resolve) => origin.close(resolve));
    execFileSync('ip', ['address', 'del', `${address}/32`, 'dev', 'lo']);
  });

  describe.each(placesHere)('on %s', (backend) => {
    let on: EgressPlace;
    let home: Home;
    let caisson: Caisson;
    const network = [`allow_private: ["${place}"]`, `allow: ["${place}", "${address}:80"]`];
    beforeAll(async () => {
      [on, home] = [await openPlace(backend), await makeHome()];
      caisson = await openService(home, on, network);
      await caisson.sandboxes.create({ taskId, network: 'filtered', image: on.image });
    }, 240_000);
    afterAll(async () => await closeAll({ caisson, home, place: on }));
    const ends = async (): Promise<readonly string[]> => (await attempts(caisson, taskId, ways)).map(([, end]) => end);

    test('is the same after a stop, and for another service (NE-17)', async () => {
      expect(await ends()).toEqual(asAllowed);
      await caisson.sandboxes.stop(taskId);
      expect(await ends()).toEqual(asAllowed);
      await caisson.close();
      caisson = await openService(home, on, network);
      expect(await ends()).toEqual(asAllowed);
    });

    test('leads nowhere while its proxy is dead (NE-03)', async () => {
      const during = attempts(caisson, taskId, ['pause 4', ...ways]);
      await sleep(1000);
      const before = connections;
      // No proxy starts by it, and the service does not read it.
      writeFileSync(join(home.path, 'config.yaml'), 'network: broken', { mode: 0o600 });
      process.kill(proxyPid(home.path) ?? expect.unreachable(), 'SIGKILL');
      expect((await during).slice(1).map(([, end]) => end)).toEqual(asDead);
      expect(connections).toBe(before);
      configure(home, on, network);
      // A start by the broken file may still be under way, and fails.
      await vi.waitFor(async () => expect(await ends()).toEqual(asAllowed), { timeout: 20_000, interval: 500 });
    });

    test('cuts what a change forbids (NE-17)', async () => {
      const open = attempts(caisson, taskId, [`door ${connectTo(place)} ${hex('wait')}`]);
      await vi.waitUntil(() => held.size === 1, { timeout: 20_000 });
      await caisson.network.change(taskId, { deny: [place] });
      await vi.waitUntil(() => held.size === 0, { timeout: 20_000 });
      await open;
      expect(await ends()).toEqual(['403', ...asAllowed.slice(1)]);
      await caisson.network.change(taskId, { forget: [place] });
      expect(await ends()).toEqual(asAllowed);
    });
  });
});
