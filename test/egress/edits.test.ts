/** The configuration file denies hosts while a service has sandboxes with a filtered network. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import type { Backend, Sandbox } from '../../src/backend.ts';
import { openCaisson } from '../../src/main.ts';
import { doorOf, withShortPath } from '../../src/egress/places.ts';
import { fakeBackend } from '../fixtures/fake-backend/backend.ts';
import { FakePlace } from '../fixtures/fake-backend/place.ts';
import { restOf } from './door/world.ts';
import { proxyPid } from './proxy-pid.ts';

/** The fake place runs its commands on this host, so that a measurement would find a network beside the door. */
function unmeasured(place: FakePlace): Backend {
  const guarantees = { network: ['open', 'filtered'], isolation: 'container' } as const;
  const backend = fakeBackend({ name: 'fake', place, guarantees });
  const create = backend.create.bind(backend);
  backend.create = async (spec, options) => {
    const sandbox: Sandbox = await create(spec, options);
    const exec = sandbox.exec.bind(sandbox);
    const instead: Sandbox['exec'] = (command, how) =>
      exec(how.env['CAISSON_EXEC'] === 'probe' ? ['true'] : command, how);
    return Object.assign(sandbox, { exec: instead });
  };
  return backend;
}

/** A service with one filtered sandbox, whose door answers as to a program that runs in it. */
async function world() {
  const root = mkdtempSync(join(tmpdir(), 'caisson-denied-'));
  const [home, place] = [join(root, 'home'), new FakePlace()];
  mkdirSync(home, { mode: 0o700 });
  const write = (text: string): void => writeFileSync(join(home, 'config.yaml'), text, { mode: 0o600 });
  write('');
  const env = { PATH: process.env['PATH'], HOME: root, CAISSON_TERMINAL_BACKEND: 'local' };
  const module = { isolation: 'container', open: () => unmeasured(place) } as const;
  const api = await openCaisson({
    home,
    env,
    cwd: root,
    backends: { fake: async () => await Promise.resolve(module) },
  });
  onTestFinished(async () => {
    await api.sandboxes.remove('build');
    await api.close();
    await vi.waitFor(() => expect(proxyPid(home)).toBe(null), 15_000);
    await place.dispose();
    rmSync(root, { recursive: true });
  });
  const { sandbox } = await api.sandboxes.create({ taskId: 'build', backend: 'fake', network: 'filtered' });
  const asks = async (host: string): Promise<string> =>
    await withShortPath(doorOf(home, sandbox.id), 'door', async (path) => {
      const socket = connect(path).on('error', () => undefined);
      socket.write(`GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      return /\((?<why>.*)\)/.exec(await restOf(socket))?.groups?.['why'] ?? 'passed';
    });
  return { api, write, asks, sandbox };
}

const denies = (host: string): string => `network: {deny: [${host}]}\n`;
const blocks = (host: string): string => `security: {website_blocklist: {domains: [${host}]}}\n`;

it(
  'what is denied holds for a sandbox that runs, without a command, and until a reload',
  { timeout: 60_000 },
  async () => {
    const { api, write, asks } = await world();
    expect([await asks('a.example'), await asks('b.example')]).toEqual(['no rule', 'no rule']);
    write(denies('a.example'));
    await vi.waitFor(async () => expect(await asks('a.example')).toBe('deny a.example'), 10_000);
    write(denies('b.example'));
    await vi.waitFor(async () => expect(await asks('b.example')).toBe('deny b.example'), 10_000);
    expect(await asks('a.example')).toBe('deny a.example');
    expect(await api.config.pending()).toMatchObject({
      holds: ['network.deny: b.example'],
      loosens: ['network.deny: without a.example'],
    });
    expect((await api.network.rules('build')).configured.deny).toEqual(['a.example', 'b.example']);
    await api.config.reload();
    expect([await asks('a.example'), await asks('b.example')]).toEqual(['no rule', 'deny b.example']);
  },
);

it('the next command begins under what was just denied', { timeout: 60_000 }, async () => {
  const { api, write, asks } = await world();
  write(denies('a.example'));
  await api.run({ taskId: 'build', cwd: '/', command: ['true'] });
  expect(await asks('a.example')).toBe('deny a.example');
});

it(
  'hosts that are blocked hold for connections and for the words of commands, until a reload',
  { timeout: 60_000 },
  async () => {
    const { api, write, asks } = await world();
    const says = async (host: string): Promise<string> =>
      await api.run({ taskId: 'build', cwd: '/', command: ['echo', `http://${host}/`] }).then(
        () => 'ran',
        (error: unknown) => String(Object(error).code),
      );
    expect(await says('a.example')).toBe('ran');
    write(blocks('a.example'));
    expect([await says('a.example'), await asks('a.example')]).toEqual(['policy_denied', 'security.website_blocklist']);
    write('');
    expect(await says('a.example')).toBe('policy_denied');
    await vi.waitFor(async () => expect(await asks('a.example')).toBe('security.website_blocklist'), 10_000);
    expect((await api.config.pending()).loosens).toEqual(['security.website_blocklist.domains: without a.example']);
    expect((await api.network.checker())({ url: 'http://a.example/' })).toMatchObject({ verdict: 'block' });
    await api.config.reload();
    expect([await says('a.example'), await asks('a.example')]).toEqual(['ran', 'no rule']);
  },
);
