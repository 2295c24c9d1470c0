/** Who else on the host reaches a sandbox of Apptainer, and what keeps its files when the account changes. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open } from '../../../backends/singularity/backend.ts';
import type { Backend, CreateOptions, Sandbox } from '../../../src/backend.ts';
import { readUntil, sh, start } from '../../conformance/command.ts';
import { hasApptainer } from '../../engines/apptainer.ts';
import { containing } from '../../matchers.ts';
import { createOptions, instance, TestPlace } from './place.ts';

const isRoot = process.getuid?.() === 0;

/** Runs a text of shell as another account of this host. */
const asOther = (user: string, text: string): string => {
  const identity = ['--reuid', user, '--regid', 'nogroup', '--clear-groups'];
  return spawnSync('setpriv', [...identity, 'sh', '-c', text]).stdout.toString();
};

describe.skipIf(!hasApptainer() || !isRoot)('the account of sandboxes, when Caisson is root', () => {
  let place: TestPlace;
  beforeAll(async () => {
    place = await TestPlace.open();
  });
  afterAll(() => place.close());

  const cacheOf = (name: string): string => join(place.apptainer.directory, name);
  const backendOf = (user: string | null, cache: string): Backend =>
    open({ env: place.apptainer.env, instance, settings: { ...place.apptainer.settings, cache_dir: cache, user } });

  it('is in no accounts file, and programs of nobody reach neither its files nor its secrets', async () => {
    const sandbox = await place.create({ network: 'none' });
    const secret = `secret-${randomBytes(8).toString('hex')}`;
    const running = await start(sandbox, ['sh', '-c', 'echo $SECRET >/workspace/kept; echo up; exec sleep 100'], {
      env: { SECRET: secret },
    });
    await readUntil(running.stdout, 'up\n');
    const pids = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && environOf(pid).includes(secret));
    expect(pids.length).toBeGreaterThan(0);
    const { uid } = statSync(`/proc/${pids[0]}`);
    expect(spawnSync('getent', ['passwd', String(uid)]).status).toBe(2);
    for (const pid of pids) {
      const text = `cat /proc/${pid}/environ; cat /proc/${pid}/root/workspace/kept; ls /proc/${pid}/root`;
      expect(asOther('nobody', `${text}; echo tried`)).toBe('tried\n');
    }
    expect(readFileSync(`/proc/${pids[0]}/root/workspace/kept`, 'utf8')).toBe(`${secret}\n`);
    await running.kill('SIGKILL');
    running.release();
    await sandbox.destroy();
  });

  it('gets the kept files of the account before, once their sandbox is stopped', async () => {
    const keep = mkdtempSync(join(place.apptainer.directory, 'keep-'));
    const options: CreateOptions = { ...createOptions(), directory: keep };
    const spec = { ...place.spec(), persistent: true };
    const before = backendOf('daemon', cacheOf('cache-daemon'));
    const first = await before.create(spec, options);
    await said(first, 'mkdir -m 700 /workspace/d; echo x >/workspace/d/f; echo y >/etc/added; chmod 600 /etc/added');
    const now = backendOf(null, cacheOf('cache-own'));
    const attached = await now.attach(first.ref);
    await expect(sh(attached, 'true')).rejects.toMatchObject({
      code: 'failed_precondition',
      remedy: containing('stop it'),
    });
    await attached.power?.stop({ onRef: () => Promise.resolve() });
    await first.destroy();
    const second = await now.create(spec, { ...createOptions(), directory: keep });
    const text = 'id -u; cat /workspace/d/f; echo more >>/workspace/d/f; cat /etc/added; stat -c %u /etc/added';
    const [uid, kept, added, owner] = (await said(second, text)).split('\n');
    expect([kept, added, owner]).toEqual(['x', 'y', uid]);
    expect(Number(uid)).toBeGreaterThan(2_000_000_000);
    await second.destroy();
    await Promise.all([before.close(), now.close()]);
  });

  it('is refused a cache of another account', async () => {
    const cache = cacheOf('cache-of-others');
    mkdirSync(join(cache, 'sif'), { recursive: true });
    const backend = backendOf(null, cache);
    const creating = backend.create(place.spec(), createOptions());
    await expect(creating).rejects.toMatchObject({
      code: 'failed_precondition',
      message: containing('belongs to account 0'),
    });
    await backend.close();
    rmSync(cache, { recursive: true });
  });

  const said = async (sandbox: Sandbox, text: string): Promise<string> => (await sh(sandbox, text)).stdout.toString();
});

function environOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return ''; // It ended while we looked.
  }
}
