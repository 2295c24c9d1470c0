/** What carries traffic to the door of a sandbox, on a real engine. */
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { egressImage } from '../../../../images/builder/egress.ts';
import { dockerHost } from '../../../engines/docker.ts';
import { Place, run, sh } from '../place.ts';

const host = dockerHost();
const onRef = (): Promise<never> => Promise.reject(new Error('another ref'));

/** Answers the first line that comes with what it is. */
async function door(directory: string): Promise<Server> {
  const server = createServer((socket: Socket) => {
    socket.on('error', () => undefined).once('data', (chunk: Buffer) => socket.end(`heard ${chunk.toString()}`));
  });
  server.listen(join(directory, 'door'));
  await once(server, 'listening');
  // What carries the traffic is another user.
  chmodSync(directory, 0o711);
  chmodSync(join(directory, 'door'), 0o777);
  return server;
}

const ask = 'echo hello | nc 127.0.0.1 3128';

describe.skipIf(host === null)('a sandbox with a filtered network on a Docker engine', () => {
  const place = new Place(host ?? 'unix:///nowhere/docker.sock', {}, egressImage);
  const directory = mkdtempSync(join(tmpdir(), 'caisson-door-'));
  let server: Server | null = null;
  beforeAll(async () => void (server = await door(directory)));
  afterAll(async () => {
    await place.close();
    server?.close();
    rmSync(directory, { recursive: true });
  });
  const filtered = () => place.create({ network: 'filtered' }, place.options({ door: directory }));
  const containers = (): Promise<number> =>
    place.engine
      .listContainers({ all: true, filters: { label: [`caisson.instance=${place.instance}`] } })
      .then((all) => all.length);

  /** Doors of this file's instance alone: others run on the engine too. */
  const carriers = () => {
    const label = [`caisson.instance=${place.instance}`, 'caisson.role=door'];
    return place.engine.listContainers({ filters: { label } });
  };

  test('reaches its door, and nothing else: no address, no name, no route', async () => {
    const sandbox = await filtered();
    expect(await sh(sandbox, ask)).toMatchObject({ exitCode: 0, stdout: 'heard hello\n' });
    expect((await sh(sandbox, 'cat /proc/net/route | tail -n +2; ls /sys/class/net')).stdout).toBe('lo\n');
    for (const to of ['8.8.8.8 53', '172.17.0.1 2375', '169.254.169.254 80', '127.0.0.11 53'])
      expect((await sh(sandbox, `nc -w 2 ${to} </dev/null`)).exitCode).not.toBe(0);
    expect((await sh(sandbox, 'nslookup a.example 127.0.0.11; nslookup a.example')).exitCode).not.toBe(0);
    await sandbox.destroy();
    expect(await containers()).toBe(0);
  });

  test('says where its way out is, and an image does not take that away', async () => {
    const sandbox = await filtered();
    const { stdout } = await sh(sandbox, 'echo "$http_proxy $HTTPS_PROXY $NODE_USE_ENV_PROXY $no_proxy"');
    expect(stdout).toBe('http://127.0.0.1:3128 http://127.0.0.1:3128 1 localhost,127.0.0.1,::1\n');
    await sandbox.destroy();
  });

  test('is carried by a container that may do nothing else', async () => {
    const sandbox = await filtered();
    const [carrier] = await carriers();
    const inspected = await place.engine.getContainer(carrier?.Id ?? '').inspect();
    expect(inspected.HostConfig).toMatchObject({
      NetworkMode: `container:${sandbox.place.resource}`,
      CapDrop: ['ALL'],
      ReadonlyRootfs: true,
      Privileged: false,
      PidsLimit: 64,
    });
    expect(inspected.Config.User).toBe('65534:65534');
    const status = await run(sandbox, ['sh', '-c', 'ls /door /caisson; ps']);
    expect(status.stdout).not.toContain('forwarder');
    await sandbox.destroy();
  });

  test('has its way again after each start, also when what carries it was killed', async () => {
    const sandbox = await filtered();
    await sandbox.power?.stop({ onRef });
    await sandbox.power?.start({ onRef });
    const again = await place.backend.attach(sandbox.ref);
    expect((await sh(again, ask)).stdout).toBe('heard hello\n');
    const [carrier] = await carriers();
    await place.engine.getContainer(carrier?.Id ?? '').kill();
    expect((await sh(again, ask)).stdout).toBe('');
    await again.power?.stop({ onRef });
    await again.power?.start({ onRef });
    expect((await sh(again, ask)).stdout).toBe('heard hello\n');
    await again.destroy();
    expect(await containers()).toBe(0);
  });

  test('sees that what carries its traffic has ended, or is in the network of before, and has it again', async () => {
    const { ref } = await filtered();
    const sandbox = await place.backend.attach(ref);
    const carries = () => sandbox.carrier?.carries();
    expect(await carries()).toBe(true);
    const [carrier] = await carriers();
    const container = place.engine.getContainer(carrier?.Id ?? '');
    await container.kill();
    await expect.poll(carries).toBe(false);
    await sandbox.carrier?.restore();
    expect([await carries(), (await sh(sandbox, ask)).stdout]).toEqual([true, 'heard hello\n']);
    const own = place.engine.getContainer(sandbox.place.resource);
    await own.stop({ t: 0 });
    await own.start();
    await expect.poll(carries).toBe(false);
    expect([(await sh(sandbox, ask)).stdout, (await carriers()).length]).toEqual(['', 1]);
    await sandbox.carrier?.restore();
    expect([await carries(), (await sh(sandbox, ask)).stdout]).toEqual([true, 'heard hello\n']);
    await container.remove({ force: true });
    await expect.poll(carries).toBe(false);
    await expect(sandbox.carrier?.restore()).rejects.toMatchObject({ code: 'failed_precondition' });
    await sandbox.destroy();
  });

  test('lacks more than what carries its traffic while it does not run', async () => {
    const sandbox = await filtered();
    await sandbox.power?.stop({ onRef });
    expect(await sandbox.carrier?.carries()).toBe(true);
    await expect(sandbox.carrier?.restore()).rejects.toMatchObject({ code: 'failed_precondition' });
    expect(await carriers()).toHaveLength(0);
    await sandbox.destroy();
    expect(await sandbox.carrier?.carries()).toBe(true);
  });

  test('finds nothing behind its door while nothing listens, and what listens later', async () => {
    const sandbox = await filtered();
    server?.close();
    expect((await sh(sandbox, ask)).stdout).toBe('');
    server = await door(directory);
    expect((await sh(sandbox, ask)).stdout).toBe('heard hello\n');
    await sandbox.destroy();
  });

  test('that has lost its container leaves what carried it to be found and removed', async () => {
    const sandbox = await filtered();
    const listed = () => place.backend.list({ instance: place.instance });
    expect(await listed()).toHaveLength(1);
    await place.engine.getContainer(sandbox.place.resource).remove({ force: true });
    const [left] = await listed();
    await (await place.backend.attach(left?.ref ?? sandbox.ref)).destroy();
    expect([await listed(), await containers()]).toEqual([[], 0]);
  });

  test('is made once for one name, and replaces what an earlier try has left', async () => {
    const options = place.options({ door: directory });
    const first = await place.create({ network: 'filtered' }, options);
    const second = await place.create({ network: 'filtered' }, options);
    expect(second.ref).toEqual(first.ref);
    expect((await sh(second, ask)).stdout).toBe('heard hello\n');
    await second.destroy();
    expect(await containers()).toBe(0);
  });

  test('is refused without a door, and where no image can be had', async () => {
    await expect(place.create({ network: 'filtered' })).rejects.toMatchObject({ code: 'not_supported' });
    const without = new Place(host ?? '');
    expect((await without.backend.guarantees()).network).toEqual(['open', 'none']);
    await expect(without.create({ network: 'filtered' }, without.options({ door: directory }))).rejects.toMatchObject({
      code: 'not_supported',
    });
    await without.close();
    expect(await containers()).toBe(0);
  });
});
