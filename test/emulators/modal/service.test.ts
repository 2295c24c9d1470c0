/** What the service refuses, and what its clock brings about, seen through the SDK. */
import { statSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { connect, loadSdk } from '../../../backends/modal/sdk.ts';
import { startModal } from '../../../emulators/modal/emulator.ts';
import { eventually } from '../../conformance/command.ts';
import { whyNoModal } from '../../engines/modal.ts';

const modal = whyNoModal === null ? await startModal({ unsafe: false }) : null;
afterAll(() => modal?.close());

const env = modal?.environment ?? {};
const sdk = await loadSdk(env);
const client = connect(sdk, env);
afterAll(() => client.close());
const app = modal === null ? null : await client.apps.fromName('tests', { createIfMissing: true });

type Params = Parameters<typeof client.sandboxes.create>[2];
async function make(params: Params = {}) {
  if (app === null) throw new Error('not started');
  return await client.sandboxes.create(app, client.images.fromRegistry('debian:12'), {
    timeoutMs: 3_600_000,
    ...params,
  });
}

describe.skipIf(whyNoModal !== null)('the emulator of Modal', () => {
  it('listens on 127.0.0.1 alone, and its fault socket is closed to other users', () => {
    expect(env['MODAL_SERVER_URL']).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(statSync(modal?.faults ?? '').mode & 0o777).toBe(0o600);
  });

  it.each(['MODAL_TOKEN_ID', 'MODAL_TOKEN_SECRET'])('refuses a call with another %s', async (name) => {
    const stranger = connect(sdk, { ...env, [name]: 'ak-another' });
    await expect(stranger.apps.fromName('tests')).rejects.toMatchObject({ code: 16 });
    stranger.close();
  });

  it('refuses a request that means more than it does, by the name of the field', async () => {
    await expect(make({ encryptedPorts: [80] })).rejects.toMatchObject({
      code: 3,
      details: expect.stringContaining('does not know the field'),
    });
    await expect(make({ regions: ['us-east'] })).rejects.toMatchObject({ code: 3 });
    await expect(make({ outboundDomainAllowlist: ['no name'] })).rejects.toMatchObject({ code: 3 });
  });

  it('refuses a name that a running sandbox has, and gives it again after the end', async () => {
    const first = await make({ name: 'taken' });
    await expect(make({ name: 'taken' })).rejects.toBeInstanceOf(sdk.AlreadyExistsError);
    await first.terminate({ wait: true });
    const second = await make({ name: 'taken' });
    expect(second.sandboxId).not.toBe(first.sandboxId);
    await second.terminate();
  });

  it('lists by tags, over several pages, and only what runs', async () => {
    const made = await Promise.all(
      Array.from({ length: 23 }, (_, index) => make({ tags: { group: 'pages', n: String(index) } })),
    );
    const listed: string[] = [];
    for await (const { sandboxId } of client.sandboxes.list({ appId: app?.appId ?? '', tags: { group: 'pages' } }))
      listed.push(sandboxId);
    expect(listed.toSorted()).toEqual(made.map(({ sandboxId }) => sandboxId).toSorted());
    await Promise.all(made.map((sandbox) => sandbox.terminate()));
    for await (const _left of client.sandboxes.list({ appId: app?.appId ?? '', tags: { group: 'pages' } }))
      expect.fail('an ended sandbox is listed');
  });

  it('ends a sandbox at its idle limit, not while a command runs, and keeps a snapshot of its files', async () => {
    const sandbox = await make({ idleTimeoutMs: 60_000, experimentalOptions: { enable_exit_snapshot: true } });
    await (await sandbox.exec(['sh', '-c', 'echo kept >/root/note'])).wait();
    const held = await sandbox.exec(['sleep', '300']);
    await modal?.orders.advance({ ms: 120_000 });
    expect(await sandbox.poll()).toBeNull();
    await (await sandbox.exec(['sh', '-c', 'kill $(pidof sleep)'])).wait();
    await held.wait();
    await eventually(async () => {
      await modal?.orders.advance({ ms: 60_000 });
      return (await sandbox.poll()) !== null;
    });
    const image = await sandbox.experimentalGetExitSnapshot();
    if (app === null) throw new Error('not started');
    const restored = await client.sandboxes.create(app, image, { timeoutMs: 60_000 });
    expect(await (await restored.exec(['cat', '/root/note'])).stdout.readText()).toBe('kept\n');
    await restored.terminate();
  });

  it('ends a sandbox at the end of its lifetime, also while a command runs', async () => {
    const sandbox = await make({ timeoutMs: 60_000 });
    const held = (await sandbox.exec(['sleep', '300'])).wait().catch(() => 'lost');
    await modal?.orders.advance({ ms: 61_000 });
    expect(await sandbox.wait()).toBe(124);
    expect(await held).toBe('lost');
  });

  it('forgets a snapshot when its time is over', async () => {
    const sandbox = await make();
    const image = await sandbox.snapshotFilesystem({ ttlMs: 60_000 });
    await modal?.orders.advance({ ms: 61_000 });
    await expect(client.images.fromId(image.imageId)).rejects.toBeInstanceOf(sdk.NotFoundError);
    await sandbox.terminate();
  });

  it('keeps commands in a root and a process table of their own, without most capabilities', async () => {
    const sandbox = await make({ blockNetwork: true });
    const look =
      'ls /; ls -d /proc/[0-9]* | wc -l; ls /sys/class/net 2>/dev/null; cat /proc/net/dev | wc -l; mount -t tmpfs x /mnt 2>&1';
    const text = await (await sandbox.exec(['sh', '-c', look])).stdout.readText();
    expect(text).not.toContain('work\n');
    expect(Number(/^\d+$/m.exec(text)?.[0])).toBeLessThan(10);
    expect(text).toMatch(/permission denied|must be superuser|mount point does not exist/);
    await sandbox.terminate();
  });
});
