/** What a sandbox with an open network is kept from, on a real engine: this host, its gateway, metadata services, private networks. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dockerHost } from '../engines/docker.ts';
import { type Home, makeHome } from './home.ts';

/** A private address that this host has for the time of the test; no host is to be in its network. */
const address = '10.231.90.1';
const host = dockerHost();
const debian = 'caisson-test/debian:latest';

/** A program that binds to the interface, past all routes, and connects: it prints the error, or what it reads. */
const connectByDevice = (to: string, port: number): string =>
  `perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0); setsockopt(S, SOL_SOCKET, 25, "eth0\\0") or die "device: $!"; ` +
  `connect(S, sockaddr_in(${port}, inet_aton("${to}"))) or die "$!\\n"; print <S>'`;
const connect = (to: string, port: number): string =>
  connectByDevice(to, port).replace(/setsockopt.*?"device: \$!"; /, '');
const sendTo = (to: string): string =>
  `perl -MSocket -e 'socket(S, PF_INET, SOCK_DGRAM, 0); connect(S, sockaddr_in(5353, inet_aton("${to}"))); ` +
  `send(S, "x", 0) or die "$!\\n"; select(undef, undef, undef, 0.2); send(S, "x", 0) or die "$!\\n"'`;

describe.skipIf(host === null || process.getuid?.() !== 0)('a sandbox with an open network', () => {
  let server: Server;
  let port = 0;
  beforeAll(async () => {
    execFileSync('ip', ['address', 'add', `${address}/32`, 'dev', 'lo']);
    server = createServer((socket) => socket.end('from this host'));
    server.listen(0, address);
    await once(server, 'listening');
    const at = server.address();
    port = typeof at === 'object' && at !== null ? at.port : 0;
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    execFileSync('ip', ['address', 'del', `${address}/32`, 'dev', 'lo']);
  });

  const open = async (home: Home, lines: readonly string[] = []) => {
    writeFileSync(`${home.path}/config.yaml`, ['network:', ...lines.map((line) => `  ${line}`), ''].join('\n'), {
      mode: 0o600,
    });
    const caisson = await home.open();
    const { sandbox } = await caisson.sandboxes.create({ taskId: 'one', network: 'open', image: debian });
    const run = async (text: string): Promise<string> => {
      const { stdout, stderr } = await caisson.run({ taskId: 'one', command: ['sh', '-c', text] });
      return `${stdout.text}${stderr.text}`.trim();
    };
    return { caisson, sandbox, run };
  };
  const gatewayOf = async (run: (text: string) => Promise<string>): Promise<string> => {
    const route = await run(`awk '$2 == "00000000" { print $3 }' /proc/net/route`);
    return (route.match(/../g) ?? [])
      .toReversed()
      .map((byte) => Number.parseInt(byte, 16))
      .join('.');
  };

  test('reaches nothing of this host and of private networks, by whichever interface, also after a stop (NE-05, NE-06, NE-17)', async () => {
    await using home = await makeHome();
    const before = execFileSync('iptables-save')
      .toString()
      .replaceAll(/^#.*$|\[\d+:\d+\]/gm, '');
    const { caisson, sandbox, run } = await open(home, ['open_private: false']);
    expect(sandbox.degraded.map(({ control }) => control)).not.toContain('open_private');
    const gateway = await gatewayOf(run);
    expect(gateway).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
    const refused = [
      address,
      gateway,
      '169.254.169.254',
      '168.63.129.16',
      '10.9.8.7',
      '192.168.1.1',
      '172.31.0.1',
      '100.64.0.1',
    ];
    const askAll = async (): Promise<void> => {
      for (const to of refused) {
        expect([to, await run(connect(to, port))]).toEqual([to, 'Connection refused']);
        expect([to, await run(connectByDevice(to, port))]).toEqual([to, 'Connection refused']);
        expect([to, await run(sendTo(to))]).toEqual([to, expect.stringMatching(/No route|Operation not permitted/)]);
      }
    };
    await askAll();
    expect(await run(connect('127.0.0.1', 9))).toBe('Connection refused');
    await caisson.sandboxes.stop('one');
    await askAll();
    expect(
      execFileSync('iptables-save')
        .toString()
        .replaceAll(/^#.*$|\[\d+:\d+\]/gm, ''),
    ).toBe(before);
    await caisson.sandboxes.remove('one');
  });

  test('reaches the one address and port that network.allow_private opens', async () => {
    await using home = await makeHome();
    const { run } = await open(home, [`allow_private: ["${address}:${port}"]`]);
    expect(await run(connect(address, port))).toBe('from this host');
    expect(await run(connect(address, port + 1))).toBe('Connection refused');
  });

  test('reaches private networks, and still not this host, where network.open_private says so', async () => {
    await using home = await makeHome();
    const { run } = await open(home, ['open_private: true']);
    expect(await run(connect(address, port))).toBe('Connection refused');
    expect(await run(connect(await gatewayOf(run), port))).toBe('Connection refused');
    const [id = ''] = await home.containers();
    const pid = await home.engine(['inspect', '--format', '{{.State.Pid}}', id]);
    const rules = execFileSync('nsenter', ['-n', '-t', pid, 'iptables', '-S', 'OUTPUT']).toString();
    expect(rules).not.toContain('10.0.0.0/8');
    expect(rules).toContain('169.254.0.0/16');
  });
});
