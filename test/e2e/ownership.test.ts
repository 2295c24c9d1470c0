import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { busybox, instanceOf, makeHome } from './home.ts';

describe('what is ours and what is not', () => {
  it('never touches a container without our instance, also when it looks like ours (PI-05)', async () => {
    await using home = await makeHome();
    const caisson = await home.open();
    await caisson.run({ taskId: 'demo', command: ['true'] });
    const labels = [
      'caisson.instance=somebodyelse0000',
      'caisson.sandbox=sbx_aaaaaaaaaaaaaaaa',
      'caisson.task=demo',
      'caisson.schema=1',
    ];
    const foreign = await home.engine([
      'run',
      '-d',
      ...labels.flatMap((label) => ['--label', label]),
      busybox,
      'sleep',
      '600',
    ]);
    try {
      expect(await caisson.sandboxes.gc({ dryRun: false })).toEqual([]);
      expect(await home.engine(['ps', '-q', '--no-trunc'])).toContain(foreign);
    } finally {
      await home.engine(['rm', '-f', foreign]);
    }
  });

  it('removes a running container of Caisson that has lost its record', async () => {
    await using home = await makeHome();
    const caisson = await home.open();
    const instance = await instanceOf(home.path);
    const labels = [
      `caisson.instance=${instance}`,
      'caisson.sandbox=sbx_aaaaaaaaaaaaaaaa',
      'caisson.task=lost',
      `caisson.fingerprint=${'f'.repeat(32)}`,
      'caisson.created=2026-01-01T00:00:00.000Z',
      'caisson.schema=1',
    ];
    await home.engine(['run', '-d', ...labels.flatMap((label) => ['--label', label]), busybox, 'sleep', '600']);
    expect(await caisson.sandboxes.gc({ dryRun: true })).toMatchObject([{ kind: 'resource', taskId: 'lost' }]);
    expect(await home.containers()).toHaveLength(1);
    await caisson.sandboxes.gc({ dryRun: false });
    expect(await home.containers()).toEqual([]);
  });

  it('stops a sandbox that idles, and starts it again with its files when it is needed', async () => {
    await using home = await makeHome();
    const caisson = await home.open({ 'terminal.lifetime_seconds': 1 });
    await caisson.run({ taskId: 'demo', command: ['sh', '-c', 'echo kept >/workspace/f; echo gone >/tmp/f'] });
    await sleep(2_500);
    expect(await caisson.sandboxes.gc({ dryRun: false })).toMatchObject([
      { kind: 'sandbox', taskId: 'demo', why: expect.stringContaining('idle') },
    ]);
    expect((await caisson.sandboxes.get('demo')).state).toBe('stopped');
    expect((await caisson.run({ taskId: 'demo', command: ['cat', '/workspace/f'] })).stdout.text).toBe('kept\n');
  });

  it('does not stop a sandbox in which a command runs', async () => {
    await using home = await makeHome();
    const caisson = await home.open({ 'terminal.lifetime_seconds': 2 });
    const running = caisson.run({ taskId: 'demo', command: ['sh', '-c', 'sleep 5; echo done'] });
    await sleep(4_000);
    expect(await caisson.sandboxes.gc({ dryRun: false })).toEqual([]);
    expect((await running).stdout.text).toBe('done\n');
  });

  it('does not stop a sandbox in which a detached process lives, and stops it when that has ended', async () => {
    await using home = await makeHome();
    const caisson = await home.open({ 'terminal.lifetime_seconds': 1 });
    const { id } = await caisson.processes.start({ taskId: 'demo', command: ['sh', '-c', 'sleep 6; exit 7'] });
    await sleep(3_500);
    expect(await caisson.sandboxes.gc({ dryRun: false })).toEqual([]);
    expect((await caisson.sandboxes.get('demo')).resource).toBe('running');
    expect(await caisson.processes.wait(id)).toMatchObject({ state: 'exited', exitCode: 7 });
    await sleep(2_500);
    expect(await caisson.sandboxes.gc({ dryRun: false })).toMatchObject([{ kind: 'sandbox', taskId: 'demo' }]);
    expect((await caisson.sandboxes.get('demo')).state).toBe('stopped');
  });

  it('refuses a runtime with known holes when policy asks for a patched one (CH-12)', async () => {
    await using home = await makeHome();
    const caisson = await home.open({ 'policy.require_patched_runtime': true });
    const [docker] = await caisson.backends.check(['docker']);
    const holes = docker?.check.findings.filter(({ id }) => id.startsWith('CVE-')) ?? [];
    const made = caisson.sandboxes.create({ taskId: 'demo' });
    if (holes.length === 0) await expect(made).resolves.toMatchObject({ how: 'created' });
    else {
      await expect(made).rejects.toMatchObject({
        code: 'failed_precondition',
        message: expect.stringContaining(String(holes[0]?.id)),
      });
      expect((await caisson.sandboxes.list()).items).toEqual([]);
      expect(await home.containers()).toEqual([]);
    }
  });
});
