import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { indexWebsites } from '../../../src/network/websites.ts';
import { Deliveries } from '../../../src/service/webhooks/deliveries.ts';
import { openSender } from '../../../src/service/webhooks/send.ts';
import { pauseMs, restMs } from '../../../src/service/webhooks/schedule.ts';
import { signatureOf } from '../../../src/service/webhooks/sign.ts';
import { openStore } from '../../../src/store/sqlite/open.ts';
import type { SqliteStore } from '../../../src/store/sqlite/store.ts';
import { webhookKey } from '../../../src/values/webhook.ts';
import { newApproval } from '../../store/rows.ts';
import { scratch } from '../../store/scratch.ts';
import { receiver, secret, until } from './receiver.ts';

const program = fileURLToPath(new URL('sender.process.ts', import.meta.url));

interface Home {
  readonly store: SqliteStore;
  /** Moves the clock that decides what is due. */
  readonly skip: (ms: number) => void;
  readonly start: (url: string, store?: SqliteStore) => Deliveries;
  readonly another: () => Promise<SqliteStore>;
  readonly path: string;
  readonly waiting: () => Promise<number>;
}

async function home(): Promise<Home> {
  const directory = await scratch();
  onTestFinished(() => directory[Symbol.asyncDispose]());
  const path = join(directory.path, 'caisson.db');
  const open = async (): Promise<SqliteStore> => {
    const { store } = await openStore(path);
    onTestFinished(() => store.close());
    return store;
  };
  const store = await open();
  await store.outbox.setEndpoints([{ name: 'pager', events: ['approval.asked'] }]);
  let skippedMs = 0;
  return {
    store,
    skip: (ms) => void (skippedMs += ms),
    another: open,
    path,
    waiting: async () => (await store.outbox.due('pager', 2 ** 50, 100)).length,
    start: (url, own = store) => {
      const key = webhookKey(secret);
      if (key === null) throw new Error('no secret');
      const deliveries = new Deliveries({
        targets: [{ name: 'pager', url, key }],
        store: {
          outbox: own.outbox,
          leases: own.leases,
          steadyNow: () => own.steadyNow() + skippedMs,
        },
        sender: () => {
          const rules = { allowPrivate: [], nat64Prefix: null, env: {}, websites: indexWebsites([]) };
          return Promise.resolve(openSender([url], rules));
        },
      });
      onTestFinished(() => deliveries.close());
      return deliveries;
    },
  };
}

describe('a webhook', () => {
  it('is called once for each event, in order, with a signature', async () => {
    await using server = await receiver((response) => response.end());
    const { store, start, waiting } = await home();
    const rows = Array.from({ length: 5 }, () => newApproval());
    for (const row of rows) await store.approvals.insert(row);
    const deliveries = start(server.url);
    await until(() => server.received.length === 5);
    await deliveries.close();
    expect(server.received.map(({ event }) => event.data['approvalId'])).toEqual(rows.map(({ id }) => id));
    for (const { method, path, isSigned, headers, event } of server.received) {
      expect([method, path, isSigned]).toEqual(['POST', '/hook/secret-path', true]);
      expect(headers).toMatchObject({
        'content-type': 'application/json',
        'webhook-id': expect.stringMatching(/^evt_/),
      });
      expect(event).toMatchObject({ type: 'approval.asked', timestamp: expect.stringMatching(/Z$/) });
    }
    expect(await waiting()).toBe(0);
  });

  it('is called again with the same id when it failed', async () => {
    await using server = await receiver((response, count) => response.writeHead(count < 2 ? 500 : 204).end());
    const { store, start, skip, waiting } = await home();
    await store.approvals.insert(newApproval());
    start(server.url);
    await until(() => server.received.length === 1);
    skip(6000);
    await until(() => server.received.length === 2);
    skip(40_000);
    await until(() => server.received.length === 3);
    expect(new Set(server.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(server.received.every(({ isSigned }) => isSigned)).toBe(true);
    await expect.poll(waiting).toBe(0);
  });

  it('that answers with a redirect has failed, and nothing else is called', async () => {
    await using server = await receiver((response) => response.writeHead(307, { location: '/other' }).end());
    const { store, start, waiting } = await home();
    await store.approvals.insert(newApproval());
    const deliveries = start(server.url);
    await until(() => server.received.length === 1);
    await deliveries.close();
    expect(server.received.map(({ path }) => path)).toEqual(['/hook/secret-path']);
    expect(await waiting()).toBe(1);
  });

  it('that is gone gets no more of an event', async () => {
    await using server = await receiver((response) => response.writeHead(410).end());
    const { store, start } = await home();
    await store.approvals.insert(newApproval());
    start(server.url);
    await expect.poll(() => store.outbox.givenUp(), { timeout: 20_000 }).toEqual({ pager: 1 });
  });

  it('with a name that leads to this host is not called, whatever its address says', async () => {
    await using server = await receiver((response) => response.end());
    const { store, start, waiting } = await home();
    await store.approvals.insert(newApproval());
    const deliveries = start(server.url.replace('127.0.0.1', 'hooks.localhost'));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await deliveries.close();
    expect([server.received.length, await waiting()]).toEqual([0, 1]);
  });

  it('on localhost is called as it is written', async () => {
    await using server = await receiver((response) => response.end());
    const { store, start } = await home();
    await store.approvals.insert(newApproval());
    start(server.url.replace('127.0.0.1', 'localhost'));
    await until(() => server.received.length === 1);
  });

  it('gets what a process left that was killed in the middle of a call', async () => {
    await using server = await receiver((response, count) => count > 0 && response.end());
    const { store, start, path, waiting } = await home();
    await store.approvals.insert(newApproval());
    const killed = spawn(process.execPath, [program, path, server.url], { stdio: 'inherit' });
    onTestFinished(() => void killed.kill('SIGKILL'));
    await until(() => server.received.length === 1);
    const deliveries = start(server.url);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(server.received).toHaveLength(1);
    killed.kill('SIGKILL');
    await until(() => server.received.length === 2);
    expect(new Set(server.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    await expect.poll(waiting).toBe(0);
    await deliveries.close();
  });

  it('is called by one of several processes, and by the next when that one ends', async () => {
    await using server = await receiver((response) => response.end());
    const { store, start, another } = await home();
    const [first] = [start(server.url), start(server.url, await another())];
    for (let count = 0; count < 20; count += 1) await store.approvals.insert(newApproval());
    await until(() => server.received.length >= 20);
    await first.close();
    for (let count = 0; count < 20; count += 1) await store.approvals.insert(newApproval());
    await until(() => server.received.length >= 40);
    expect(new Set(server.received.map(({ headers }) => headers['webhook-id'])).size).toBe(40);
    expect(server.received).toHaveLength(40);
  });

  it('that never answers does not keep a process from ending', async () => {
    await using server = await receiver(() => undefined);
    const { store, start, waiting } = await home();
    await store.approvals.insert(newApproval());
    const deliveries = start(server.url);
    await until(() => server.received.length === 1);
    const began = performance.now();
    await deliveries.close();
    expect(performance.now() - began).toBeLessThan(6000);
    expect(await waiting()).toBe(1);
  });

  it('gets what happened last before a process ended', async () => {
    await using server = await receiver((response) => response.end());
    const { store, start } = await home();
    const deliveries = start(server.url);
    await store.approvals.insert(newApproval());
    await deliveries.close();
    expect(server.received).toHaveLength(1);
  });
});

describe('signatures and pauses', () => {
  it('are those of the example of Standard Webhooks', () => {
    const key = webhookKey('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw');
    const signed = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}';
    expect(key === null ? null : signatureOf(key, signed)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it.each(['', 'whsec_', 'whsec_c2hvcnQ=', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', `whsec_${'A'.repeat(120)}`])(
    'need a secret of the right form and length: not %j',
    (text) => expect(webhookKey(text)).toBeNull(),
  );

  it('grow for an event until it is given up, and for an endpoint to five minutes', () => {
    const pauses = Array.from({ length: 10 }, (_, at) => pauseMs(at + 1, 0));
    expect(pauses.slice(0, 2)).toEqual([5000, 30_000]);
    expect(pauses.at(-1)).toBeNull();
    const numbers = pauses.filter((each) => each !== null);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    expect([pauseMs(1, 1), restMs(1), restMs(2), restMs(50)]).toEqual([5500, 5000, 10_000, 300_000]);
  });
});
