/** The whole service on a real Apptainer: configuration, sandbox, limits, files, and what is left at the end. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open } from '../../backends/singularity/backend.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { openCaisson } from '../../src/main.ts';
import type { RunResult } from '../../src/service/api.ts';
import { createOptions } from '../backends/singularity/place.ts';
import { plainSpec } from '../conformance/spec.ts';
import { type Apptainer, hasApptainer, startApptainer } from '../engines/apptainer.ts';

describe.skipIf(!hasApptainer())('a service with the singularity backend, by root', () => {
  let apptainer: Apptainer;
  let caisson: Caisson;
  const home = mkdtempSync(join(tmpdir(), 'caisson-home-'));
  const files = mkdtempSync(join(tmpdir(), 'caisson-files-'));

  async function service(): Promise<Caisson> {
    const { busybox, settings, env } = apptainer;
    const keys = [
      'backend: singularity',
      `singularity_image: "${busybox}"`,
      `singularity_scratch_dir: "${settings.scratch_dir}"`,
      `singularity_cache_dir: "${settings.cache_dir}"`,
    ];
    writeFileSync(join(home, 'config.yaml'), `terminal: {${keys.join(', ')}}\n`);
    return await openCaisson({ home, env, cwd: home });
  }

  const sh = (text: string, more: { readonly timeoutMs?: number } = {}): Promise<RunResult> =>
    caisson.run({ taskId: 'work', command: ['sh', '-c', text], ...more });

  beforeAll(async () => {
    apptainer = await startApptainer();
    caisson = await service();
  });
  afterAll(async () => {
    for (const { taskId } of (await caisson.sandboxes.list()).items) await caisson.sandboxes.remove(taskId);
    await caisson.close();
    apptainer.remove();
    for (const directory of [home, files]) rmSync(directory, { recursive: true, force: true });
  });

  it('gives what the defaults ask for, and measures it inside', async () => {
    const { sandbox } = await caisson.sandboxes.create({ taskId: 'work' });
    expect(sandbox.degraded).toEqual([]);
    expect((await sh('pwd; echo hi >note')).stdout.text).toBe('/workspace\n');
    const { effective } = await caisson.sandboxes.get('work');
    const none = '0000000000000000';
    expect(effective).toMatchObject({
      uid: expect.toSatisfy((uid: number) => uid > 0),
      noNewPrivileges: true,
      capabilities: { permitted: none, effective: none, bounding: none, inheritable: none, ambient: none },
      seccomp: 'filter',
      interfaces: [],
      limits: { memoryBytes: 5120 * 2 ** 20, swapBytes: 0, pids: 256, cpuCores: 1 },
    });
  });

  it('lets commands be that a host would have to be asked for: the container is the boundary', async () => {
    expect((await sh('rm -rf / 2>/dev/null; echo still here')).stdout.text).toBe('still here\n');
    await caisson.sandboxes.remove('work');
    expect((await sh('ls /bin/sh; echo again >note')).stdout.text).toBe('/bin/sh\n');
  });

  it('kills the whole tree at the deadline, also what left its group', async () => {
    const { exit } = await sh('sleep 300 & setsid sleep 301 & (setsid nohup sleep 302 >/dev/null 2>&1 &) ; sleep 303', {
      timeoutMs: 1500,
    });
    expect(exit).toMatchObject({ reason: 'timed-out', survivors: [] });
    expect((await sh('cat /proc/[0-9]*/cmdline | tr "\\0" " "')).stdout.text).not.toContain('sleep 30');
  });

  it('tells a command that took more memory than there is', async () => {
    await caisson.sandboxes.create({ taskId: 'small', limits: { memoryBytes: 64 * 2 ** 20 } });
    const greedy = ['dd', 'if=/dev/zero', 'of=/dev/null', 'bs=200M', 'count=1'] as const;
    expect((await caisson.run({ taskId: 'small', existing: true, command: greedy })).exit.reason).toBe('out-of-memory');
    expect((await caisson.run({ taskId: 'small', existing: true, command: ['echo', 'alive'] })).stdout.text).toBe(
      'alive\n',
    );
    await caisson.sandboxes.remove('small');
  });

  it('copies files in and out', async () => {
    const source = join(files, "it's; $(a) -name");
    writeFileSync(source, 'content', { mode: 0o755 });
    await caisson.files.copyIn({ task: 'work', source, target: '/workspace/-odd ; name' });
    await caisson.files.copyOut({ task: 'work', source: '/workspace/-odd ; name', target: join(files, 'back') });
    expect(readFileSync(join(files, 'back'), 'utf8')).toBe('content');
    expect(statSync(join(files, 'back')).mode & 0o777).toBe(0o755);
  });

  it('finds its sandbox and a detached process again from another service', async () => {
    const { id } = await caisson.processes.start({ taskId: 'work', command: ['sh', '-c', 'sleep 1; exit 9'] });
    await caisson.close();
    caisson = await service();
    expect(await caisson.processes.wait(id)).toMatchObject({ exitCode: 9 });
    expect((await sh('cat note')).stdout.text).toBe('again\n');
  });

  it('keeps files of a task through stop and start, and loses them with it', async () => {
    await caisson.sandboxes.stop('work');
    expect((await sh('cat note')).stdout.text).toBe('again\n');
    await caisson.sandboxes.remove('work');
    expect((await sh('ls -A')).stdout.text).toBe('');
  });

  it('removes what is on no record', async () => {
    const registrations = join(apptainer.scratch, `caisson-${process.getuid?.() ?? 0}/singularity`);
    const [instance = ''] = readdirSync(registrations);
    const backend = open({ env: apptainer.env, instance, settings: apptainer.settings });
    const options = createOptions();
    const spec = plainSpec('singularity', { image: apptainer.busybox, cwd: '/', persistent: false });
    await backend.create(spec, { ...options, labels: { ...options.labels, instance } });
    const removed = await caisson.sandboxes.gc({ dryRun: false });
    expect(removed.map(({ name }) => name)).toContain(options.labels.sandbox);
    expect((await backend.list({ instance })).map(({ labels }) => labels.task)).toEqual(['work']);
    await backend.close();
    await caisson.sandboxes.remove('work');
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(apptainer.scratch);
  });
});
