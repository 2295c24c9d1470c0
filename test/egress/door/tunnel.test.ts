import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it, vi } from 'vitest';
import { publicAddress } from '../../network/dial/internet.ts';
import { helloBytes, records, serverName } from './hello.ts';
import { closed, restOf, tunnel, world, type World } from './world.ts';

const established = 'HTTP/1.1 200 Connection established';
const forbidden = 'HTTP/1.1 403 Forbidden';

/** Through the door with real TLS. The answer, or the code of the failure. */
async function fetchTls(here: World, authority: string, servername: string): Promise<string> {
  const { socket, status } = await tunnel(here, authority);
  if (status !== established) return status;
  const tls = connectTls({ socket, servername, ca: here.ca, checkServerIdentity: () => undefined });
  tls.write(`GET / HTTP/1.1\r\nHost: ${servername}\r\nConnection: close\r\n\r\n`);
  let text = '';
  tls.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', (error) => (text += error.message));
  await closed(tls);
  return text;
}

const recorded = async (here: World, count = 1) => {
  await vi.waitFor(() => expect(here.records).toHaveLength(count));
  return here.records[count - 1];
};

describe('CONNECT', () => {
  it('passes TLS to an allowed host, and is on record', async () => {
    await using here = await world({ rules: { allow: ['a.example'] } });
    expect(await fetchTls(here, 'a.example:443', 'a.example')).toContain('hello a.example');
    expect([here.dialled, here.asked]).toEqual([[`${publicAddress}:443`], ['a.example']]);
    const record = await recorded(here);
    expect(record).toMatchObject({ task: 'one', name: 'a.example', port: 443, address: publicAddress });
    expect(record).toMatchObject({ verdict: 'allow', rule: 'allow a.example', checked: 'server-name' });
    expect(Math.min(record?.sentBytes ?? 0, record?.receivedBytes ?? 0)).toBeGreaterThan(100);
  });

  it('to a host that no rule allows is refused before its name is looked up (NE-14)', async () => {
    await using here = await world({ rules: { allow: ['a.example'] } });
    const { socket, status } = await tunnel(here, 'secret.evil.example:443');
    socket.destroy();
    expect([status, here.dialled, here.asked]).toEqual([forbidden, [], []]);
    expect(await recorded(here)).toMatchObject({ name: 'secret.evil.example', verdict: 'deny', rule: 'no rule' });
  });

  it.each([
    ['another name', 'a.example:443', 'b.example'],
    ['no name', 'a.example:443', ''],
  ])('on port 443 ends where TLS asks for %s (NE-12)', async (_, authority, servername) => {
    await using here = await world({ rules: { allow: ['a.example', 'b.example'] } });
    expect(await fetchTls(here, authority, servername)).not.toContain('hello');
    expect(await recorded(here)).toMatchObject({
      verdict: 'deny',
      rule: 'server-name',
      receivedBytes: 0,
      sentBytes: 0,
    });
  });

  it.each([
    ['plain HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: a.example\r\n\r\n')],
    ['two names', records(helloBytes([serverName('a.example', 'b.example')]), 1)],
  ])('on port 443 ends where %s is spoken', async (_, bytes) => {
    await using here = await world({ rules: { allow: ['a.example'] } });
    const { socket, status } = await tunnel(here, 'a.example:443');
    socket.write(bytes);
    expect([status, await restOf(socket)]).toEqual([established, '']);
    expect(await recorded(here)).toMatchObject({ verdict: 'deny', rule: 'server-name', sentBytes: 0 });
  });

  it('takes a hello that comes byte by byte, and ends one that does not end in time (NE-16)', async () => {
    await using here = await world({ rules: { allow: ['a.example'] }, limits: { headTimeoutMs: 300 } });
    const slow = await tunnel(here, 'a.example:443');
    slow.socket.write(Buffer.from([22, 3, 1]));
    expect(await restOf(slow.socket)).toBe('');
    expect(await recorded(here)).toMatchObject({ reason: 'no TLS hello came in time', sentBytes: 0 });
    const patient = await tunnel(here, 'a.example:443');
    const bytes = records(helloBytes([serverName('a.example')]), 3);
    for (const byte of bytes) {
      patient.socket.write(Buffer.from([byte]));
      await delay(0);
    }
    // The origin refuses it, since it offers nothing; what counts is that it gets there.
    await restOf(patient.socket);
    expect(await recorded(here, 2)).toMatchObject({ checked: 'server-name', sentBytes: bytes.length });
  });

  it('to a port that is listed passes any bytes, both ways, and says that the address alone was judged', async () => {
    await using here = await world({ rules: { allow: ['a.example'], ports: [22] } });
    const { socket, status } = await tunnel(here, 'a.example:22');
    const bytes = Buffer.alloc(3_000_000, 'x');
    const back = restOf(socket);
    socket.end(bytes);
    expect([status, (await back).length]).toEqual([established, bytes.length]);
    expect(await recorded(here)).toMatchObject({ checked: 'address', sentBytes: 3_000_000, receivedBytes: 3_000_000 });
  });

  it('to a port that is not listed is refused (NE-13)', async () => {
    await using here = await world({ rules: { allow: ['a.example'] } });
    for (const port of [22, 25, 53, 853]) {
      const { socket, status } = await tunnel(here, `a.example:${port}`);
      socket.destroy();
      expect(status).toBe(forbidden);
    }
    expect([here.dialled, here.asked]).toEqual([[], []]);
  });

  it('to port 80 is read as HTTP, request by request (NE-12)', async () => {
    await using here = await world({ rules: { allow: ['a.example'] } });
    const { socket, status } = await tunnel(here, 'a.example:80');
    const answers = restOf(socket);
    socket.write('GET /one HTTP/1.1\r\nHost: a.example\r\n\r\n');
    await vi.waitFor(() => expect(here.records).toHaveLength(1));
    socket.write('GET /two HTTP/1.1\r\nHost: b.example\r\n\r\n');
    const text = await answers;
    expect([status, text.match(/HTTP\/1.1 \d+/g)]).toEqual([established, ['HTTP/1.1 200', 'HTTP/1.1 400']]);
    expect([here.dialled, here.records.map(({ checked }) => checked)]).toEqual([
      [`${publicAddress}:80`],
      ['host-header', 'address'],
    ]);
    const denied = await tunnel(here, 'b.example:80');
    denied.socket.write('GET / HTTP/1.1\r\nHost: b.example\r\n\r\n');
    expect(await restOf(denied.socket)).toContain('403 Forbidden');
    expect(here.dialled).toHaveLength(1);
  });

  it.each([
    'CONNECT a.example:99999 HTTP/1.1\r\n\r\n',
    'CONNECT a.example HTTP/1.1\r\n\r\n',
    'CONNECT http://a.example:443 HTTP/1.1\r\n\r\n',
    'CONNECT user@a.example:443 HTTP/1.1\r\n\r\n',
    'CONNECT a.example:443\rX: y HTTP/1.1\r\n\r\n',
    'CONNECT a.example:443 HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello',
    'CONNECT a.example:443 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    'CONNECT a.example:443 HTTP/9.9\r\n\r\n',
    // A line that ends early, as HTTP/0.9 would have it.
    'CONNECT a.example:443\r\nHost: b.example:443 HTTP/1.1\r\n\r\n',
    'GET http://a.example/\r\nHost: a.example\r\n\r\n',
    'SSH-2.0-OpenSSH_9.2\r\n',
    '\x16\x03\x01\x02\x00\x01\x00',
  ])('%j is answered with 400, and its connection is closed (NE-16)', async (text) => {
    await using here = await world({ rules: { allow: ['*'] } });
    expect(await here.say(text)).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect([here.dialled, here.asked]).toEqual([[], []]);
    expect(here.records).toMatchObject([{ verdict: 'deny', rule: 'request' }]);
  });
});

describe('a hostile name server', () => {
  it('that answers otherwise the second time is asked once for each connection (NE-08)', async () => {
    const zone = (_: string, count: number) => [count === 0 ? publicAddress : '192.168.1.5'];
    await using here = await world({ rules: { allow: ['a.example'] }, zone });
    expect(await fetchTls(here, 'a.example:443', 'a.example')).toContain('hello');
    expect(here.asked).toEqual(['a.example']);
    expect(await fetchTls(here, 'a.example:443', 'a.example')).toBe(forbidden);
    expect(here.dialled).toEqual([`${publicAddress}:443`]);
  });

  it.each([
    ['199 good addresses and a bad one', [...Array.from({ length: 199 }, (_, at) => `93.184.217.${at}`), '10.0.0.1']],
    ['a private IPv6 address beside a public one', [publicAddress, 'fd00::5']],
    ['an IPv4-mapped loopback address', ['::ffff:127.0.0.1']],
    ['the metadata service', ['169.254.169.254']],
  ])('that gives %s gets nothing dialled (NE-08)', async (_, answers) => {
    await using here = await world({ rules: { allow: ['a.example'] }, zone: () => answers });
    expect(await fetchTls(here, 'a.example:443', 'a.example')).toBe(forbidden);
    expect(here.dialled).toEqual([]);
  });

  it('that gives 200 good addresses gets one dialled', async () => {
    const answers = Array.from({ length: 200 }, (_, at) => `93.184.217.${at}`);
    await using here = await world({ rules: { allow: ['a.example'] }, zone: () => answers });
    expect(await fetchTls(here, 'a.example:443', 'a.example')).toContain('hello');
    expect(here.dialled).toHaveLength(1);
  });

  it.each([
    ['says nothing', 'silence'],
    ['knows no such name', null],
  ] as const)('that %s makes the door answer 502', async (_, answers) => {
    const limits = { lookupTimeoutMs: 300 };
    await using here = await world({ rules: { allow: ['a.example'] }, zone: () => answers, limits });
    expect(await fetchTls(here, 'a.example:443', 'a.example')).toBe('HTTP/1.1 502 Bad Gateway');
    expect(await recorded(here)).toMatchObject({ rule: 'lookup', verdict: 'deny', address: null });
  });
});

describe('a change of the rules', () => {
  it('cuts what is forbidden by it, and leaves the rest (NE-17)', async () => {
    await using here = await world({ rules: { allow: ['a.example', 'b.example'], ports: [22] } });
    const [cut, kept] = [await tunnel(here, 'a.example:22'), await tunnel(here, 'b.example:22')];
    await here.revise({ allow: ['b.example'], ports: [22] });
    expect(await restOf(cut.socket)).toBe('');
    expect(await recorded(here)).toMatchObject({ name: 'a.example', verdict: 'deny', rule: 'no rule' });
    const echo = restOf(kept.socket);
    kept.socket.end('still here');
    expect(await echo).toBe('still here');
    const { socket, status } = await tunnel(here, 'a.example:22');
    socket.destroy();
    expect(status).toBe(forbidden);
  });

  it('holds for a connection that is being made meanwhile', async () => {
    let here: World | null = null;
    const dialling = (): void => void here?.revise({});
    await using made = await world({ rules: { allow: ['a.example'], ports: [22] }, dialling });
    here = made;
    const { socket, status } = await tunnel(made, 'a.example:22');
    socket.destroy();
    expect(status).toBe(forbidden);
  });

  it('is not needed for a door that closes: all ends', async () => {
    await using here = await world({ rules: { allow: ['a.example'], ports: [22] } });
    const { socket } = await tunnel(here, 'a.example:22');
    const end = restOf(socket);
    await here.close();
    expect(await end).toBe('');
    await recorded(here);
  });
});

describe('bounds', () => {
  it('of connections hold: one more is closed, and one that ends makes room', async () => {
    await using here = await world({ rules: { allow: ['a.example'], ports: [22] }, limits: { maxConnections: 2 } });
    const open = [await tunnel(here, 'a.example:22'), await tunnel(here, 'a.example:22')];
    const third = here.open();
    expect(await restOf(third)).toBe('');
    open[0]?.socket.end();
    await recorded(here);
    const again = await tunnel(here, 'a.example:22');
    expect(again.status).toBe(established);
    for (const { socket } of [...open, again]) socket.destroy();
  });

  it('of idle connections hold', async () => {
    await using here = await world({ rules: { allow: ['a.example'], ports: [22] }, limits: { idleTimeoutMs: 200 } });
    const { socket } = await tunnel(here, 'a.example:22');
    expect(await restOf(socket)).toBe('');
  });

  it('a client that goes while its name is looked up leaves nothing', async () => {
    await using here = await world({
      rules: { allow: ['*'] },
      zone: () => 'silence',
      limits: { lookupTimeoutMs: 400 },
    });
    const socket = here.open();
    socket.write('CONNECT a.example:443 HTTP/1.1\r\n\r\n');
    await vi.waitFor(() => expect(here.asked).toHaveLength(1));
    socket.destroy();
    expect(await recorded(here)).toMatchObject({ name: 'a.example', address: null });
    expect(here.dialled).toEqual([]);
  });
});

it('names that are not answered take two lookups at once, and the rest of them wait', async () => {
  await using here = await world({
    rules: { allow: ['*'] },
    zone: (name) => (name.startsWith('slow') ? 'silence' : [publicAddress]),
  });
  const waiting = Array.from({ length: 8 }, (_, at) => tunnel(here, `slow${at}.example:443`));
  await vi.waitFor(() => expect(here.asked).toHaveLength(2));
  await delay(100);
  expect(here.asked).toEqual(['slow0.example', 'slow1.example']);
  const answers = await Promise.all(waiting);
  expect(here.asked).toHaveLength(8);
  for (const { socket, status } of answers) {
    socket.destroy();
    expect(status).toContain('502');
  }
});
