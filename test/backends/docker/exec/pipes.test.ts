/** Streams that go past the engine, on a real one. */
import { readdirSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open } from '../../../../backends/docker/backend.ts';
import type { Process, Sandbox } from '../../../../src/backend.ts';
import { dockerHost } from '../../../engines/docker.ts';
import { debian, Place, plain, sh, textOf } from '../place.ts';

const host = dockerHost();

function cat(sandbox: Sandbox): Promise<Process> {
  const { pipes = expect.fail('it has no pipes') } = sandbox;
  return pipes.exec(['cat'], { cwd: '/', env: {}, stdin: true });
}

async function echoed(process: Process): Promise<string> {
  process.stdin?.end('there and back');
  return await textOf(process.stdout);
}

/** What the last process of this name has open, as the kernel names it. */
async function streamsOf(sandbox: Sandbox, program: string): Promise<string> {
  const find = `for p in /proc/[0-9]*; do read -r name <$p/comm; [ "$name" != ${program} ] || found=$p; done`;
  return (await sh(sandbox, `${find}; for n in 0 1 2; do readlink $found/fd/$n; done`)).stdout;
}

const names = async (sandbox: Sandbox): Promise<string> => (await sh(sandbox, 'ls /dev/shm')).stdout;

const patience = { timeout: 10_000 };

/** Descriptors of this process that are such pipes. */
const openPipes = (): readonly string[] =>
  readdirSync('/proc/self/fd').filter((fd) => linkOf(`/proc/self/fd/${fd}`).includes('/dev/shm/caisson-'));

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return ''; // the one by which the directory was read
  }
}

describe.skipIf(host === null)('named pipes of a sandbox', () => {
  const place = new Place(host ?? 'unix:///nowhere');
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await place.create();
  });
  afterAll(() => place.close());

  it('are what a process has for its streams, and have no name any more', async () => {
    const process = await cat(sandbox);
    await expect
      .poll(() => streamsOf(sandbox, 'cat'), patience)
      .toMatch(/^\/dev\/shm\/caisson-\S+\.in \(deleted\)\n\S+\.out \(deleted\)\n\S+\.err \(deleted\)\n$/);
    expect(await names(sandbox)).toBe('');
    expect(await echoed(process)).toBe('there and back');
    expect(await process.wait()).toMatchObject({ exitCode: 0 });
  });

  it('are there for a process that finds the sandbox again', async () => {
    const again = open({ env: { DOCKER_HOST: host ?? '' }, instance: place.instance });
    const process = await cat(await again.attach(sandbox.ref));
    expect(await echoed(process)).toBe('there and back');
    await again.close();
  });

  it('end with their process, however it is killed', async () => {
    const process = await cat(sandbox);
    await sh(sandbox, 'kill -9 $(pidof cat)');
    expect(await textOf(process.stdout)).toBe('');
    expect(await process.wait()).toMatchObject({ exitCode: 137 });
  });

  it('are read to the end of a command that ends at once, which runs once', async () => {
    const { pipes = expect.fail('it has no pipes') } = sandbox;
    const times = 20;
    for (let index = 0; index < times; index += 1) {
      const command = ['sh', '-c', 'echo >>/tmp/runs; echo out'] as const;
      const process = await pipes.exec(command, { cwd: '/', env: {}, stdin: true });
      expect(await textOf(process.stdout)).toBe('out\n');
    }
    expect((await sh(sandbox, 'cat /tmp/runs')).stdout).toBe('\n'.repeat(times));
  });

  it('change nothing of what the command has in its environment', async () => {
    const { pipes = expect.fail('it has no pipes') } = sandbox;
    const env = { go: '1', taken: '2' };
    const process = await pipes.exec(['sh', '-c', 'echo "$go $taken"'], { cwd: '/', env, stdin: true });
    expect(await textOf(process.stdout)).toBe('1 2\n');
  });

  it('leave a background process alone that goes on writing when there is no reader any more', async () => {
    const other = await place.create();
    const { pipes = expect.fail('it has no pipes') } = other;
    const script = 'while echo tick; do echo >>/tmp/ticks; sleep 0.01; done &';
    const process = await pipes.exec(['sh', '-c', script], { cwd: '/', env: {}, stdin: true });
    await process.wait();
    process.release();
    const ticks = async (): Promise<number> => Number((await sh(other, 'cat /tmp/ticks | wc -c')).stdout);
    const before = await ticks();
    await expect.poll(ticks, patience).toBeGreaterThan(before + 20);
  });

  it('are for every user that a sandbox may have', async () => {
    const users = { ...plain, hardening: { ...plain.hardening, user: 'host' as const, readOnlyRoot: true } };
    const other = await place.create(users);
    const process = await cat(other);
    await expect.poll(() => streamsOf(other, 'cat'), patience).toContain('/dev/shm/caisson-');
    expect(await echoed(process)).toBe('there and back');
  });

  it('are none when the signal fires first, and then no command runs', async () => {
    const { pipes = expect.fail('it has no pipes') } = sandbox;
    const aborting = new AbortController();
    const starting = pipes.exec(['sleep', '98'], { cwd: '/', env: {}, stdin: true, signal: aborting.signal });
    aborting.abort();
    await expect(starting).rejects.toMatchObject({ code: 'canceled' });
    await expect.poll(async () => (await sh(sandbox, 'pidof sleep')).stdout, patience).toBe('');
    await expect.poll(() => names(sandbox), patience).toBe('');
  });

  it('are closed here when the signal fires before the command has begun, whatever keeps it', async () => {
    const other = await place.create({ image: debian });
    const rm = '/usr/local/bin/rm';
    await sh(other, `mkdir -p /usr/local/bin; printf '#!/bin/sh\nexec sleep 97' >${rm}; chmod +x ${rm}`);
    const { pipes = expect.fail('it has no pipes') } = other;
    const aborting = new AbortController();
    const starting = pipes.exec(['true'], { cwd: '/', env: {}, stdin: true, signal: aborting.signal });
    starting.catch(() => undefined);
    const before = openPipes().length;
    await expect.poll(() => openPipes().length, patience).toBe(before + 3);
    aborting.abort();
    await expect(starting).rejects.toMatchObject({ code: 'canceled' });
    await expect.poll(() => openPipes().length, patience).toBe(before);
  });

  it.each([
    ['cannot be made', 'exit 1'],
    ['are something else', 'shift 2; for f do ln -s /etc/passwd "$f"; done'],
  ])('are done without where they %s', async (_, text) => {
    const other = await place.create({ image: debian });
    const mkfifo = '/usr/local/bin/mkfifo';
    await sh(other, `mkdir -p /usr/local/bin; printf '#!/bin/sh\n%s' '${text}' >${mkfifo}; chmod +x ${mkfifo}`);
    const process = await cat(other);
    await expect.poll(() => streamsOf(other, 'cat'), patience).toMatch(/^(?:pipe:.*\n){3}$/);
    expect(await echoed(process)).toBe('there and back');
    expect(await names(other)).toBe('');
  });
});
