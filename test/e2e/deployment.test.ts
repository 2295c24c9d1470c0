/** The image of the service and docker-compose.yml: built from the package, brought up beside an engine, used, and taken down. */
import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { dockerHost } from '../engines/docker.ts';
import { busybox } from './home.ts';
import { checkout, installPackage } from './packed.ts';

const run = promisify(execFile);
const image = 'caisson/service:latest';
const file = join(checkout, 'docker-compose.yml');
const socket = (dockerHost() ?? '').replace('unix://', '');
let project: string;
let home: string;

interface Done {
  readonly stdout: string;
  readonly stderr: string;
}

const docker = async (...args: readonly string[]): Promise<string> =>
  (await run('docker', args, { env: { ...process.env, DOCKER_HOST: dockerHost() ?? '' } })).stdout.trim();

/** Runs Compose: the plugin of the client, or else the program that Debian has. */
async function compose(...args: readonly string[]): Promise<string> {
  const [program, ...before] = await run('docker', ['compose', 'version']).then(
    () => ['docker', 'compose'],
    () => ['docker-compose'],
  );
  const env = {
    PATH: process.env['PATH'],
    HOME: project,
    DOCKER_HOST: dockerHost() ?? '',
    CAISSON_HOME: home,
    CAISSON_DOCKER_SOCKET: socket,
  };
  const all = [...before, '--project-name', 'caisson-test-deployment', '--file', file, ...args];
  return (await run(program ?? '', all, { env, maxBuffer: 2 ** 24 })).stdout;
}

/** The installed package on the machine of the engine. */
const caisson = async (args: readonly string[], more: NodeJS.ProcessEnv = {}): Promise<Done> =>
  await run(join(project, 'node_modules/.bin/caisson'), args, {
    env: {
      PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
      HOME: project,
      CAISSON_HOME: join(project, 'home'),
      DOCKER_HOST: dockerHost() ?? '',
      ...more,
    },
  });

/** A client on the machine of the engine, whose network the service has. It writes JSON. */
async function client(program: string): Promise<Readonly<Record<string, unknown>>> {
  const call = `const call = async (path, body) => {
    const how = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const headers = { authorization: 'Bearer ' + token, accept: 'application/json', 'content-type': 'application/json' };
    if (body === undefined) delete headers['content-type'];
    const response = await fetch('http://127.0.0.1:7480' + path, { ...how, headers });
    return { status: response.status, text: await response.text() };
  };`;
  const text = `const main = async () => { ${call} ${program} }; main().then((it) => console.log(JSON.stringify(it)));`;
  return Object(JSON.parse(await docker('run', '--rm', '--network', 'host', image, 'node', '-e', text)));
}

const healthOf = async (): Promise<string> => {
  const [id = ''] = (await compose('ps', '-q', 'caisson')).trim().split('\n');
  return await docker('inspect', '--format', '{{.State.Health.Status}}', id);
};
const isHealthy = async (): Promise<void> =>
  await expect.poll(healthOf, { timeout: 60_000, interval: 500 }).toBe('healthy');

beforeAll(async () => {
  project = await mkdtemp(join(tmpdir(), 'caisson-deployment-'));
  home = await mkdtemp(join(tmpdir(), 'caisson-deployment-home-'));
  await chmod(home, 0o700);
  const config = `terminal: {docker_image: "${busybox}", container_disk: null}\napprovals: {mode: "off"}\n`;
  await writeFile(join(home, 'config.yaml'), config, { mode: 0o600 });
  await installPackage(project);
}, 300_000);

afterAll(async () => {
  const left = await docker('ps', '-aq', '--filter', `label=caisson.instance=${await instance()}`).catch(() => '');
  for (const id of left.split('\n').filter(Boolean)) await docker('rm', '-f', id);
  await compose('down', '--timeout', '5').catch(() => undefined);
  await docker('rmi', '-f', image).catch(() => undefined);
  for (const path of [project, home]) await rm(path, { recursive: true, force: true });
});

const instance = async (): Promise<string> => (await readFile(join(home, 'instance'), 'utf8')).trim();

it('image build service makes the image from the installed package, without a registry', async () => {
  const { stdout } = await caisson(['image', 'build', 'service']);
  expect(stdout).toMatch(/^caisson\/service:latest sha256:[0-9a-f]{64}\n$/);
  const { version } = Object(JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')));
  expect(await docker('run', '--rm', '--network', 'none', image, 'caisson', '--version')).toBe(`caisson ${version}`);
  const labels: unknown = JSON.parse(await docker('inspect', '--format', '{{json .Config.Labels}}', image));
  expect(labels).toEqual({
    'caisson.service': version,
    'caisson.service.node': process.versions.node,
    'caisson.service.arch': process.arch,
  });
  expect((await caisson(['image', 'ls'])).stdout).toMatch(/service +caisson\/service:latest +Caisson itself/);
  await expect(caisson(['image', 'build', 'service', '--method', 'packages'])).rejects.toMatchObject({ code: 125 });
}, 120_000);

it('docker-compose brings the service up, a client runs a command in a sandbox of the engine, and it goes on after a restart', async () => {
  await compose('up', '-d');
  await isHealthy();
  const issued = ['exec', '-T', 'caisson', 'caisson', 'token', 'create', 'agent', '--scope', 'run', '--scope', 'read'];
  const token = JSON.stringify((await compose(...issued)).trim());
  const first = await client(`const token = ${token};
    const made = await call('/v1/sandboxes', { taskId: 'build' });
    const ran = await call('/v1/sandboxes/build/execs', { command: ['sh', '-c', 'echo made > note; cat note; hostname'] });
    return { made, ran, metrics: await call('/metrics'), refused: (await fetch('http://127.0.0.1:7480/v1/sandboxes')).status };`);
  expect(first).toMatchObject({ made: { status: 200 }, ran: { status: 200 }, metrics: { status: 200 }, refused: 401 });
  const ran: unknown = JSON.parse(Object(first['ran']).text);
  expect(ran).toMatchObject({
    exit: { reason: 'exited', exitCode: 0 },
    stdout: { text: expect.stringMatching(/^made\n/) },
  });
  expect(Object(first['metrics']).text).toContain('caisson_sandboxes{backend="docker",state="ready"} 1');
  // It ran in a container of the engine, whose directory has the same path on the machine.
  const ofTask = ['--filter', `label=caisson.instance=${await instance()}`, '--format', '{{.ID}}'];
  expect((await docker('ps', ...ofTask)).split('\n')).toHaveLength(1);
  const notes = await readdir(join(home, 'sandboxes/docker'), { recursive: true });
  expect(notes).toContain('tasks/build/workspace/note');

  const [id = ''] = (await compose('ps', '-q', 'caisson')).trim().split('\n');
  await compose('stop');
  // It ended in order, by the signal: 128 and the number of SIGTERM.
  expect(await docker('inspect', '--format', '{{.State.ExitCode}}', id)).toBe('143');
  expect(await docker('logs', id)).toContain('http://127.0.0.1:7480');
  await compose('up', '-d', '--force-recreate');
  await isHealthy();
  const second = await client(`const token = ${token};
    return await call('/v1/sandboxes/build/execs', { command: ['cat', 'note'] });`);
  expect(JSON.parse(String(second['text']))).toMatchObject({ stdout: { text: 'made\n' } });
}, 240_000);

it('docker-compose.yml holds no secret, mounts the state directory at one path, and keeps the tests apart', async () => {
  const { services } = Object(parse(await readFile(file, 'utf8')));
  const { caisson: service, tests } = services;
  expect(Object.keys(service.environment)).toEqual(['CAISSON_HOME', 'CAISSON_SERVER_PORT']);
  expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], network_mode: 'host' });
  expect(service.volumes[1]).toBe('${CAISSON_HOME:-/var/lib/caisson}:${CAISSON_HOME:-/var/lib/caisson}');
  expect(tests).toMatchObject({ profiles: ['tests'], entrypoint: ['sh', 'scripts/compose.sh'] });
  const names = (await compose('config', '--services')).trim().split('\n');
  expect(names).toContain('caisson');
  expect((await stat(join(home, '.env')).catch(() => null))?.isFile() ?? false).toBe(false);
});
