/** A filtered network from the request to the record, on a real engine: sandbox, carrier, proxy, origin. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import { dockerHost } from '../engines/docker.ts';
import { proxyPid } from '../egress/proxy-pid.ts';
import { type Home, makeHome } from './home.ts';
import { askFor } from './origins.ts';

/** A private address that this host has for the time of the test; no host is to be in its network. */
const address = '10.231.77.1';
const host = dockerHost();

/** Runs shell text in the sandbox of a task. */
const runner = (caisson: Caisson, taskId: string) => async (text: string) => {
  const { exit, stdout, stderr } = await caisson.run({ taskId, command: ['sh', '-c', text] });
  return { code: exit.exitCode, stdout: stdout.text, stderr: stderr.text, notes: exit.notes };
};

interface Connection {
  readonly name: string;
  readonly verdict: string;
  readonly rule: string;
}

describe.skipIf(host === null)('a sandbox with a filtered network', () => {
  let origin: Server;
  let port = 0;
  const asked: string[] = [];
  /** Slow answers whose client has gone. */
  let cut = 0;
  beforeAll(async () => {
    execFileSync('ip', ['address', 'add', `${address}/32`, 'dev', 'lo']);
    origin = createServer((request, response) => {
      asked.push(request.url ?? '');
      if (request.url === '/slow') {
        response.once('close', () => (cut += 1));
        return void response.write('begun');
      }
      response.end('from the origin');
    });
    origin.listen(0, address);
    await once(origin, 'listening');
    const at = origin.address();
    port = typeof at === 'object' && at !== null ? at.port : 0;
  });
  afterAll(async () => {
    origin.closeAllConnections();
    await new Promise((resolve) => origin.close(resolve));
    execFileSync('ip', ['address', 'del', `${address}/32`, 'dev', 'lo']);
  });

  const configure = (home: Home, lines: readonly string[]): void =>
    writeFileSync(`${home.path}/config.yaml`, `network:\n${lines.map((line) => `  ${line}\n`).join('')}`, {
      mode: 0o600,
    });
  const open = (): readonly string[] => [`allow_private: ["${address}:${port}"]`, `allow: ["${address}:${port}"]`];
  const closed = (): readonly string[] => [`allow_private: ["${address}:${port}"]`];
  const fetch = (path = '/'): string => askFor(`${address}:${port}`, { path });
  const connections = (home: Home, sandboxId: string): readonly Connection[] =>
    readFileSync(`${home.path}/egress/log/${sandboxId}.ndjson`, 'utf8')
      .trim()
      .split('\n')
      .map((line): Connection => JSON.parse(line));

  test('reaches what is allowed and nothing else, and a change of the rules holds at once (NE-04, NE-17)', async () => {
    await using home = await makeHome();
    configure(home, open());
    const caisson = await home.open();
    const { sandbox } = await caisson.sandboxes.create({ taskId: 'one', network: 'filtered' });
    const run = runner(caisson, 'one');
    expect((await run(fetch())).stdout).toContain('from the origin');
    expect((await run(`nc -w 2 ${address} ${port} </dev/null`)).code).not.toBe(0);
    expect((await run('echo $http_proxy $HTTPS_PROXY')).stdout).toBe('http://127.0.0.1:3128 http://127.0.0.1:3128\n');
    expect((await run(askFor('169.254.169.254'))).stdout).toContain('403');
    const evil = await run(askFor('secret.evil.example'));
    expect(evil.stdout).toContain('403');
    expect(evil.notes).toEqual([
      'the connection to secret.evil.example:80 was denied (no rule): `caisson net allow one secret.evil.example` allows it',
    ]);
    expect((await run('true')).notes).toEqual([]);
    expect(connections(home, sandbox.id).map(({ verdict, rule }) => [verdict, rule])).toEqual([
      ['allow', `allow ${address}:${port}`],
      ['deny', 'no rule'],
      ['deny', 'no rule'],
    ]);
    const slow = run(fetch('/slow').replace('sleep 1', 'sleep 10'));
    await vi.waitFor(() => expect(asked).toContain('/slow'), 20_000);
    configure(home, closed());
    await caisson.config.reload();
    expect((await run(fetch())).stdout).toContain('403');
    expect((await slow).stdout).toContain('begun');
    await caisson.sandboxes.remove('one');
    expect([await home.containers(), existsSync(`${home.path}/egress/doors/${sandbox.id}`)]).toEqual([[], false]);
    await vi.waitFor(() => expect(proxyPid(home.path)).toBe(null), 20_000);
  });

  test('is cut off from what an edit denies or blocks, without a command or a reload', async () => {
    await using home = await makeHome();
    configure(home, open());
    const caisson = await home.open();
    await caisson.sandboxes.create({ taskId: 'edited', network: 'filtered' });
    const run = runner(caisson, 'edited');
    const edits = {
      deny: () => configure(home, [...open(), `deny: ["${address}"]`]),
      block: () => {
        configure(home, open());
        appendFileSync(`${home.path}/config.yaml`, `security: {website_blocklist: {domains: ["${address}"]}}\n`);
      },
    };
    for (const edit of [edits.deny, edits.block]) {
      const [before, begun] = [cut, asked.length];
      // It ends with the sandbox.
      void run(fetch('/slow').replace('sleep 1', 'sleep 20')).catch(() => undefined);
      await vi.waitFor(() => expect(asked.slice(begun)).toEqual(['/slow']), 20_000);
      edit();
      await vi.waitFor(() => expect(cut).toBe(before + 1), 10_000);
      configure(home, open());
      await caisson.config.reload();
      expect((await run(fetch())).stdout).toContain('from the origin');
    }
    await caisson.sandboxes.remove('edited');
  });

  test('reaches nothing while its proxy is dead, and all it may once one runs again (NE-03)', async () => {
    await using home = await makeHome();
    configure(home, open());
    const caisson = await home.open();
    await caisson.sandboxes.create({ taskId: 'two', network: 'filtered' });
    const run = runner(caisson, 'two');
    expect((await run(fetch())).stdout).toContain('from the origin');
    // A busy host may need more than one look until the next proxy listens.
    const later = `sleep 5; out=$( ${fetch()}); [ -z "$out" ] || break`;
    const long = run(`for i in 1 2 3 4 5; do ${later}; done; printf %s "$out"`);
    await sleep(1000);
    process.kill(proxyPid(home.path) ?? 0, 'SIGKILL');
    expect((await long).stdout).toContain('from the origin');
    const dead = run(`sleep 4; ${fetch()}`);
    await sleep(1000);
    const before = asked.length;
    // No proxy starts by it, and the service does not read it.
    writeFileSync(`${home.path}/config.yaml`, 'network: broken', { mode: 0o600 });
    process.kill(proxyPid(home.path) ?? 0, 'SIGKILL');
    expect((await dead).stdout).toBe('');
    expect(asked).toHaveLength(before);
    configure(home, open());
    expect((await run(fetch())).stdout).toContain('from the origin');
    await caisson.sandboxes.stop('two');
    expect((await run(fetch())).stdout).toContain('from the origin');
    await caisson.sandboxes.remove('two');
    expect(await home.containers()).toEqual([]);
  });

  test('learns what a task asks for, and is changed and asked about while it runs (NE-17, NE-22)', async () => {
    await using home = await makeHome();
    configure(home, [...closed(), 'ask: true']);
    const caisson = await home.open();
    await caisson.sandboxes.create({ taskId: 'three', network: 'filtered' });
    const run = runner(caisson, 'three');
    const place = `${address}:${port}`;
    const denied = await run(fetch());
    expect(denied.stdout).toContain('403');
    const [question] = await caisson.approvals.list();
    expect(denied.notes[0]).toContain(`caisson approvals approve ${question?.id ?? '-'}`);
    expect(await caisson.network.suggest('three')).toMatchObject({ seen: 1, allow: [place] });
    // Once is the next command, and no other.
    await caisson.approvals.answer(question?.id ?? '', 'once', 'a test');
    expect((await run(fetch())).stdout).toContain('from the origin');
    expect((await run(fetch())).stdout).toContain('403');
    expect((await caisson.network.change('three', { allow: [place] })).allow).toEqual([place]);
    expect((await run(fetch())).stdout).toContain('from the origin');
    await caisson.sandboxes.stop('three');
    expect((await run(fetch())).stdout).toContain('from the origin');
    asked.length = 0;
    const slow = run(fetch('/slow').replace('sleep 1', 'sleep 12'));
    await vi.waitFor(() => expect(asked).toContain('/slow'), 20_000);
    const before = cut;
    await home.cli(['net', 'deny', 'three', place]);
    await vi.waitFor(() => expect(cut).toBe(before + 1), 5000);
    expect((await slow).stdout).toContain('begun');
    const shown = await home.cli(['net', 'show', 'three', '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ mode: 'filtered', allow: [], deny: [place] });
    const log = await home.cli(['net', 'log', 'three', '--json']);
    const verdicts = log.stdout
      .trim()
      .split('\n')
      .map((line): Connection => JSON.parse(line))
      .map(({ verdict }) => verdict);
    expect(verdicts).toEqual(['deny', 'allow', 'deny', 'allow', 'allow', 'deny']);
    await caisson.sandboxes.remove('three');
  });

  test('observes: what no rule allows passes and is on record, and private addresses do not', async () => {
    await using home = await makeHome();
    configure(home, ['deny: ["denied.example"]']);
    const made = await home.cli([
      ...['run', '--task', 'four', '--network', 'observe', '--', 'sh', '-c'],
      `${askFor('denied.example')}; ${askFor(address)}; ${askFor('public.example')}`,
    ]);
    // A name that does not resolve was allowed: 502 and not 403.
    expect(made.stdout.match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 403', 'HTTP/1.1 403', 'HTTP/1.1 502']);
    const other = await home.cli(['run', '--backend', 'local', '--network', 'observe', '--', 'true']);
    expect(other.code).toBe(125);
    expect((await home.cli(['rm', 'four'])).code).toBe(0);
  });

  test('is made by the command line, and a request may not lead around the proxy (NE-04)', async () => {
    await using home = await makeHome();
    configure(home, open());
    const made = await home.cli(['run', '--network', 'filtered', '--', 'sh', '-c', fetch()]);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('from the origin') });
    const other = ['run', '--network', 'filtered', '-e', 'http_proxy=', '--', 'true'];
    expect((await home.cli(other)).stderr).toContain('http_proxy');
    expect(await home.containers()).toEqual([]);
  });

  test('is refused on a place that cannot give it (NE-21)', async () => {
    await using home = await makeHome();
    const refused = await home.cli(['run', '--backend', 'local', '--network', 'filtered', '--', 'true']);
    expect([refused.code, refused.stderr.includes('not_supported') || refused.stderr.includes('network')]).toEqual([
      125,
      true,
    ]);
  });
});
