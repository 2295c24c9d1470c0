/** `examples/systemd-service`: what systemd says of the unit, and the unit under a real systemd with all of its sandboxing. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dockerHost } from '../engines/docker.ts';
import { hasSystemd, machineOf } from '../engines/systemd.ts';
import { busybox } from './home.ts';
import { checkout, installPackage } from './packed.ts';

const run = promisify(execFile);
const example = join(checkout, 'examples/systemd-service');
/** The user of the unit is not on the machine of a test: the user `nobody` is. */
const user = { uid: 65_534, gid: 65_534 };
const socket = (dockerHost() ?? '').replace('unix://', '');

describe.skipIf(!hasSystemd())('the systemd unit', () => {
  let project: string;
  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), 'caisson-systemd-'));
    await chmod(project, 0o755);
    await installPackage(project);
    await mkdir(join(project, 'bin'));
    await cp(process.execPath, join(project, 'bin/node'));
  }, 300_000);
  afterAll(() => rm(project, { recursive: true, force: true }));

  const unitHere = async (): Promise<string> => {
    const unit = await readFile(join(example, 'caisson.service'), 'utf8');
    return unit.replaceAll('/usr/local/bin/caisson', join(project, 'node_modules/.bin/caisson'));
  };
  const ownCommands = async (): Promise<string> => await readFile(join(example, 'own-commands.conf'), 'utf8');

  it.each([false, true])('is read by systemd without a word, own commands or not (%s)', async (own) => {
    const directory = await mkdtemp(join(project, 'units-'));
    await writeFile(join(directory, 'caisson.service'), await unitHere());
    await mkdir(join(directory, 'caisson.service.d'));
    if (own) await writeFile(join(directory, 'caisson.service.d/own-commands.conf'), await ownCommands());
    const file = join(directory, 'caisson.service');
    expect(await run('systemd-analyze', ['verify', '--man=no', file])).toEqual({ stdout: '', stderr: '' });
    // The threshold has a scale to 100, the page one to 10, with 1.7 and 7.3.
    const judge = ['security', '--offline=true', `--threshold=${own ? 75 : 20}`, file];
    const { stdout } = await run('systemd-analyze', judge, { maxBuffer: 2 ** 22 });
    expect(stdout).toContain(`exposure level for caisson.service: ${own ? '7.3' : '1.7'}`);
  });

  it('runs sandboxes of docker with all of its sandboxing, and commands on the machine with little of it', async () => {
    await using machine = await start();
    const made = await machine.run('docker', ['sh', '-c', 'echo made > /workspace/note; cat /workspace/note']);
    expect(made).toMatchObject({ exit: { reason: 'exited', exitCode: 0 }, stdout: { text: 'made\n' } });
    const look = 'grep NoNewPrivs /proc/self/status; touch /etc/caisson-test 2>/dev/null || echo read-only';
    const onMachine = await machine.run('local', ['sh', '-c', look]);
    expect(onMachine).toMatchObject({ stdout: { text: 'NoNewPrivs:\t1\nread-only\n' } });
  }, 120_000);

  it('gives commands of local their privileges back with own-commands.conf', async () => {
    await using machine = await start({ own: true });
    const look = 'grep NoNewPrivs /proc/self/status; id -u; test -d /home && echo homes';
    const onMachine = await machine.run('local', ['sh', '-c', look]);
    expect(onMachine).toMatchObject({ stdout: { text: `NoNewPrivs:\t0\n${user.uid}\nhomes\n` } });
  }, 120_000);

  interface Machine extends AsyncDisposable {
    readonly run: (backend: string, command: readonly string[]) => Promise<unknown>;
  }

  /** A machine with the unit alone, in this network. */
  async function start({ own = false }: { readonly own?: boolean } = {}): Promise<Machine> {
    const directory = await mkdtemp(join(project, 'machine-'));
    const name = `caisson-test-${crypto.randomUUID().slice(0, 8)}`;
    const home = join('/var/lib', name);
    const port = await freePort();
    const token = await prepare(home);
    const machine = machineOf(directory, {
      'caisson.service': await unitHere(),
      ...(own ? { 'caisson.service.d/own-commands.conf': await ownCommands() } : {}),
      // What differs is the user, the places, and that this machine has nothing else to wait for.
      'caisson.service.d/test.conf': `[Unit]
DefaultDependencies=no
After=
Wants=
[Service]
User=${user.uid}
Group=${user.gid}
SupplementaryGroups=
SupplementaryGroups=${process.getgid?.() ?? 0}
StateDirectory=
StateDirectory=${name}
Environment=CAISSON_HOME=${home} CAISSON_SERVER_PORT=${port} DOCKER_HOST=unix:///run/engine.sock
Environment=PATH=${join(project, 'bin')}:/usr/bin:/bin
BindPaths=${project} ${socket}:/run/engine.sock
StandardOutput=append:${join(directory, 'log')}
StandardError=append:${join(directory, 'log')}
`,
    });
    const child = spawn(machine[0], machine.slice(1), { stdio: 'ignore' });
    const url = `http://127.0.0.1:${port}`;
    await ready(url, child, join(directory, 'log'));
    const call = async (method: string, path: string, body?: object): Promise<string> => {
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      const headers = { authorization: `Bearer ${token}`, accept: 'application/json', ...type };
      const how = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
      return await (await fetch(url + path, how)).text();
    };
    return {
      run: async (backend, command) => {
        const taskId = `on-${backend}`;
        const made = await call('POST', '/v1/sandboxes', { taskId, backend });
        const ran = await call('POST', `/v1/sandboxes/${taskId}/execs`, { command });
        await call('DELETE', `/v1/sandboxes/${taskId}`);
        return { made, ...Object(JSON.parse(ran)) };
      },
      [Symbol.asyncDispose]: async () => {
        child.kill('SIGTERM');
        await once(child, 'exit');
        await rm(home, { recursive: true, force: true });
      },
    };
  }

  /** The state directory as its user has made it, and a token. */
  async function prepare(home: string): Promise<string> {
    await mkdir(home, { mode: 0o700 });
    const config = `terminal: {docker_image: "${busybox}", container_disk: null}\napprovals: {mode: "off"}\n`;
    await writeFile(join(home, 'config.yaml'), config, { mode: 0o600 });
    for (const path of [home, join(home, 'config.yaml')]) await chown(path, user.uid, user.gid);
    const create = ['token', 'create', 'agent', '--scope', 'run', '--scope', 'read'];
    const env = { CAISSON_HOME: home, HOME: home, PATH: `${join(project, 'bin')}:${process.env['PATH'] ?? ''}` };
    const { stdout } = await run(join(project, 'node_modules/.bin/caisson'), create, { env, cwd: '/', ...user });
    return stdout.trim();
  }
});

async function ready(url: string, child: ChildProcess, log: string): Promise<void> {
  const answers = async (): Promise<boolean> => (await fetch(`${url}/readyz`).catch(() => null))?.status === 200;
  for (const until = Date.now() + 60_000; !(await answers());) {
    const text = await readFile(log, 'utf8').catch(() => '');
    if (Date.now() > until || child.exitCode !== null) throw new Error(`the unit does not answer: ${text}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
