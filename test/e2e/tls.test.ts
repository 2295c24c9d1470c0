import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import { openCaisson } from '../../src/main.ts';
import { dockerHost } from '../engines/docker.ts';
import { busybox } from './home.ts';

const run = promisify(execFile);
let directory: string;
let door: Server;

async function openssl(...args: readonly string[]): Promise<void> {
  await run('openssl', [...args], { cwd: directory });
}

/** A key and a certificate for 127.0.0.1, signed by the authority `by`. */
async function certificate(name: string, by: string): Promise<void> {
  await writeFile(join(directory, 'alt'), 'subjectAltName=IP:127.0.0.1\n');
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`];
  await openssl('req', ...key, '-out', `${name}.csr`, '-subj', `/CN=${name}`);
  const signed = ['-CA', `${by}.crt`, '-CAkey', `${by}.key`, '-CAcreateserial', '-days', '1', '-extfile', 'alt'];
  await openssl('x509', '-req', '-in', `${name}.csr`, ...signed, '-out', `${name}.crt`);
}

async function authority(name: string): Promise<void> {
  const key = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', `${name}.key`];
  await openssl('req', ...key, '-days', '1', '-subj', `/CN=${name}`, '-out', `${name}.crt`);
}

/** The engine of the run behind TLS that wants a certificate of its clients, as dockerd's --tlsverify does. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'caisson-tls-'));
  await Promise.all([authority('ours'), authority('theirs')]);
  for (const name of ['server', 'client']) await certificate(name, 'ours');
  await certificate('stranger', 'theirs');
  const file = async (name: string) => await readFile(join(directory, name));
  const [key, cert, ca] = [await file('server.key'), await file('server.crt'), await file('ours.crt')];
  const socketPath = new URL(dockerHost() ?? '').pathname;
  const strict = { key, cert, ca, requestCert: true, rejectUnauthorized: true, allowHalfOpen: true };
  door = createServer(strict, (client) => {
    const engine = connect({ path: socketPath, allowHalfOpen: true });
    client.pipe(engine).pipe(client);
    client.on('error', () => engine.destroy());
    engine.on('error', () => client.destroy());
  });
  await once(door.listen(0, '127.0.0.1'), 'listening');
});
afterAll(async () => {
  door.close();
  await rm(directory, { recursive: true, force: true });
});

/** A service that reaches the engine with the certificates of `name`, and trusts the authority `ca`. */
async function open(ca: string, name: string): Promise<Caisson> {
  const home = await mkdtemp(join(directory, 'home-'));
  for (const [from, to] of [
    [`${ca}.crt`, 'ca.pem'],
    [`${name}.crt`, 'cert.pem'],
    [`${name}.key`, 'key.pem'],
  ] as const)
    await writeFile(join(home, to), await readFile(join(directory, from)), { mode: 0o600 });
  const address = door.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    DOCKER_HOST: `tcp://127.0.0.1:${port}`,
    DOCKER_TLS_VERIFY: '1',
    DOCKER_CERT_PATH: home,
    CAISSON_TERMINAL_DOCKER_IMAGE: busybox,
  };
  return await openCaisson({ home, env, cwd: home, flags: { 'terminal.container_persistent': false } });
}

describe('an engine over TCP with TLS', () => {
  it('runs commands, with and without input', async () => {
    const caisson = await open('ours', 'client');
    try {
      await caisson.sandboxes.create({ taskId: 'work' });
      for (const word of ['first', 'second']) {
        const { stdout, exit } = await caisson.run({ taskId: 'work', command: ['sh', '-c', `echo ${word}; exit 3`] });
        expect([stdout.text, exit.exitCode]).toEqual([`${word}\n`, 3]);
      }
      const input = 'x'.repeat(300_000);
      const { stdout } = await caisson.run({ taskId: 'work', command: ['wc', '-c'], input });
      expect(Number(stdout.text)).toBe(input.length);
    } finally {
      await caisson.sandboxes.remove('work').catch(() => undefined);
      await caisson.close();
    }
  });

  it.each([
    ['whose authority is not ours', 'theirs', 'client'],
    ['that does not know our certificate', 'ours', 'stranger'],
  ])('%s is refused, and nothing is made', async (_what, ca, name) => {
    const caisson = await open(ca, name);
    try {
      await expect(caisson.sandboxes.create({ taskId: 'work' })).rejects.toMatchObject({ code: 'unavailable' });
      expect((await caisson.sandboxes.list()).items).toEqual([]);
    } finally {
      await caisson.close();
    }
  });
});
