import type Docker from 'dockerode';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { btrfsHost, dockerHost, hostAddress, recountDisk } from './docker.ts';
import { connect } from './engine-api.ts';
import { startEngine, whyNoEngine } from './engine.ts';
import { importImages, testImages } from './images.ts';
import { systemPath } from './privileges.ts';

const why = await whyNoEngine('plain');
const image = 'caisson-test/busybox:latest';

function socketOf(host: string): string {
  return host.slice('unix://'.length);
}

/** Without times, packet counts, and the bridges that another engine of this machine may make meanwhile. */
function firewall(): string {
  const saved = execFileSync('iptables-save', { encoding: 'utf8', env: { PATH: systemPath } });
  return saved.replaceAll(/^#.*$|^.* br-.*$|\[\d+:\d+\]/gm, '').replaceAll(/\n+/g, '\n');
}

/** Exit code of a busybox container that is removed afterwards. */
async function run(host: string, command: readonly string[], hostConfig: Docker.HostConfig = {}): Promise<number> {
  const docker = connect(host);
  const container = await docker.createContainer({ Image: image, Cmd: [...command], HostConfig: hostConfig });
  try {
    await container.start();
    const { StatusCode } = z.object({ StatusCode: z.number() }).parse(await container.wait());
    return StatusCode;
  } finally {
    await container.remove({ force: true });
  }
}

/** Starts an engine from a process of its own, which then waits. */
function startOwner(): ReturnType<typeof spawn> {
  const module = JSON.stringify(new URL('engine.ts', import.meta.url).href);
  const code = `const { startEngine } = await import(${module}); console.log((await startEngine('plain')).host); setInterval(() => {}, 1e6)`;
  return spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
}

async function hostOf(owner: ReturnType<typeof spawn>): Promise<string> {
  if (owner.stdout === null) throw new Error('the owner has no output');
  for await (const line of createInterface({ input: owner.stdout })) return line;
  throw new Error('the owner ended before its engine was up');
}

async function gone(host: string, withinMs: number): Promise<boolean> {
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(100)) {
    if (!existsSync(socketOf(host).replace(/\/docker\.sock$/, ''))) return true;
  }
  return false;
}

describe.skipIf(why !== null)('a private engine', () => {
  it('runs beside another on a data root of its own, and leaves the firewall of the host alone', async () => {
    const before = firewall();
    const [one, two] = await Promise.all([startEngine('plain'), startEngine('plain')]);
    const [first, second] = await Promise.all([one, two].map(({ host }) => connect(host).info()));
    expect(first.DockerRootDir).not.toBe(second.DockerRootDir);
    await two.stop();
    expect(await connect(one.host).ping()).toBeTruthy();
    await one.stop();
    expect(firewall()).toBe(before);
  });

  it.each(['SIGINT', 'SIGKILL'] as const)(
    'ends with its owner, whom %s ended, and takes its containers along',
    async (signal) => {
      const owner = startOwner();
      const host = await hostOf(owner);
      const name = `left-${process.pid}-${signal.toLowerCase()}`;
      const docker = connect(host);
      await importImages(host);
      await (await docker.createContainer({ name, Image: image, Cmd: ['sleep', '1000'] })).start();
      const { State } = await docker.getContainer(name).inspect();
      owner.kill(signal);
      await once(owner, 'exit');
      expect(await gone(host, 30_000)).toBe(true);
      expect(existsSync(`/proc/${State.Pid}`)).toBe(false);
    },
  );
});

const host = dockerHost();
const hosts = host === null ? [] : [['shared', () => host] as const, ['btrfs', btrfsHost] as const];

describe.each(hosts)('the %s engine of the run', (_kind, ask) => {
  it('lets a container reach the host', async () => {
    const server = createServer((_request, response) => response.end('here\n')).listen(0);
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect(await run((await ask()) ?? '', ['wget', '-q', '-O', '/dev/null', `http://${hostAddress()}:${port}/`])).toBe(
      0,
    );
    server.close();
  });

  it('has all test images', async () => {
    const there = (await connect((await ask()) ?? '').listImages()).flatMap(({ RepoTags }) => RepoTags ?? []);
    expect(there).toEqual(expect.arrayContaining(testImages.map(({ reference }) => reference)));
  });
});

describe.skipIf(host === null)('the btrfs engine', () => {
  it('enforces a disk limit once its quota accounting is up to date, and allows writes below it', async () => {
    const engine = (await btrfsHost()) ?? '';
    const write = (count: number) => ['dd', 'if=/dev/zero', 'of=/file', 'bs=1M', `count=${count}`];
    const limited = { StorageOpt: { size: '40M' } };
    const tooMuch = async () => {
      await run(engine, ['true'], limited); // The first limit of all is what turns counting on.
      await recountDisk(engine);
      return await run(engine, write(60), limited);
    };
    await expect.poll(tooMuch, { timeout: 40_000 }).not.toBe(0);
    expect(await run(engine, write(20), limited)).toBe(0);
  });
});
