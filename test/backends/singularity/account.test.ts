/** Who else on the host reaches a sandbox of Apptainer, and what keeps its files when the account changes. */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { open } from '../../../backends/singularity/backend.ts';
import type { Backend, Sandbox } from '../../../src/backend.ts';
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

  const opened: Backend[] = [];
  afterAll(() => Promise.all(opened.map((backend) => backend.close())));

  const backendOf = (settings: Readonly<Record<string, string | null>>, home = instance): Backend => {
    const backend = open({
      env: place.apptainer.env,
      instance: home,
      settings: { ...place.apptainer.settings, ...settings },
    });
    opened.push(backend);
    return backend;
  };

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

  it('is kept by a sandbox that was made before, running and started again, and the next one gets its files', async () => {
    const keep = mkdtempSync(join(place.apptainer.directory, 'keep-'));
    const spec = { ...place.spec(), persistent: true };
    const options = { ...createOptions(), directory: keep };
    const first = await backendOf({ user: 'daemon' }).create(spec, options);
    await said(first, 'mkdir -m 700 /workspace/d; echo x >/workspace/d/f; echo y >/etc/added; chmod 600 /etc/added');
    forgetAccount(String(first.ref['file']));
    const now = backendOf({});
    const kept = await now.attach(first.ref);
    expect(await said(kept, 'id -u; cat /workspace/d/f; echo x >/dev/stdout')).toBe('1\nx\nx\n');
    await kept.power?.stop({ onRef: () => Promise.resolve() });
    await kept.power?.start({ onRef: () => Promise.resolve() });
    expect(await said(kept, 'id -u; cat /workspace/d/f')).toBe('1\nx\n');
    const { findings } = await now.check();
    const warning = { id: 'other-account', message: containing(`${options.labels.task} (1)`) };
    expect(findings).toContainEqual(expect.objectContaining(warning));
    await kept.destroy();
    const second = await now.create(spec, { ...createOptions(), directory: keep });
    const text = 'id -u; cat /workspace/d/f; echo more >>/workspace/d/f; cat /etc/added; stat -c %u /etc/added';
    const [uid, content, added, owner] = (await said(second, text)).split('\n');
    expect([content, added, owner]).toEqual(['x', 'y', uid]);
    expect(Number(uid)).toBeGreaterThan(2_000_000_000);
    expect((await now.check()).findings.map(({ id }) => id)).not.toContain('other-account');
    await second.destroy();
  });

  it('is one for the state directories that share a configured cache, which unpack an image once', async () => {
    const other = backendOf({}, `${instance}b`);
    const options = createOptions();
    const labels = { ...options.labels, instance: `${instance}b` };
    const [ours, theirs] = [await place.create(), await other.create(place.spec(), { ...options, labels })];
    expect(await said(theirs, 'id -u')).toBe(await said(ours, 'id -u'));
    const { facts } = await other.check();
    expect(facts['cache']).toBe((await place.backend.check()).facts['cache']);
    await Promise.all([ours.destroy(), theirs.destroy()]);
  });

  it('is refused with the command that makes one, where no program can be given an accounts file', async () => {
    const bare = { ...place.apptainer.env, PATH: dirname(place.apptainer.program) };
    const backend = open({ env: bare, instance, settings: place.apptainer.settings });
    await expect(backend.create(place.spec(), createOptions())).rejects.toMatchObject({
      code: 'failed_precondition',
      message: containing('unshare, mount, setpriv not found'),
      remedy: containing('useradd --system'),
    });
    await backend.close();
  });

  const said = async (sandbox: Sandbox, text: string): Promise<string> => (await sh(sandbox, text)).stdout.toString();
});

/** Earlier versions wrote no account. */
function forgetAccount(file: string): void {
  const { account, ...before } = JSON.parse(readFileSync(file, 'utf8'));
  expect(account).toEqual({ uid: 1, gid: 1 });
  writeFileSync(file, JSON.stringify(before));
}

function environOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return ''; // It ended while we looked.
  }
}
