import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { run, sh } from '../command.ts';
import type { Suite } from '../suite.ts';

const target = '/mnt/conformance';

export function mountCases(suite: Suite): void {
  const { guarantees } = suite.place;

  if (guarantees.mounts !== 'none') {
    suite.test(
      'mounts.read-only',
      'shows a host directory read-only, and it cannot be written (FT-07)',
      async (place) => {
        const source = await place.directory();
        await writeFile(join(source, 'note'), 'from the host');
        const sandbox = await place.create({ spec: { mounts: [{ source, target, readOnly: true }] } });
        expect((await run(sandbox, ['cat', `${target}/note`])).stdout.toString()).toBe('from the host');
        expect((await sh(sandbox, `echo changed >${target}/note`)).exitCode).not.toBe(0);
        expect((await sh(sandbox, `mount -o remount,rw ${target} || umount ${target}`)).exitCode).not.toBe(0);
        expect(await readFile(join(source, 'note'), 'utf8')).toBe('from the host');
        await place.destroy(sandbox);
      },
    );

    suite.test('mounts.file', 'shows a single host file', async (place) => {
      const source = join(await place.directory(), 'one file');
      await writeFile(source, 'alone');
      const sandbox = await place.create({ spec: { mounts: [{ source, target: `${target}-file`, readOnly: true }] } });
      expect((await run(sandbox, ['cat', `${target}-file`])).stdout.toString()).toBe('alone');
      await place.destroy(sandbox);
    });
  }

  if (guarantees.mounts === 'read-write') {
    suite.test('mounts.read-write', 'writes through to the host where that was asked for', async (place) => {
      const source = await place.directory();
      const sandbox = await place.create({ spec: { mounts: [{ source, target, readOnly: false }] } });
      expect((await sh(sandbox, `echo inside >${target}/note`)).exitCode).toBe(0);
      expect(await readFile(join(source, 'note'), 'utf8')).toBe('inside\n');
      await place.destroy(sandbox);
    });
  }

  if (guarantees.hardening.readOnlyRoot) {
    suite.test(
      'mounts.read-only-root',
      'cannot write outside mounts and tmpfs with a read-only root',
      async (place) => {
        const hardening = { ...place.subject.spec.hardening, readOnlyRoot: true };
        const sandbox = await place.create({ spec: { hardening } });
        expect((await sh(sandbox, 'echo x >/conformance || echo x >/etc/conformance')).exitCode).not.toBe(0);
        expect((await sh(sandbox, 'echo x >/tmp/conformance')).exitCode).toBe(0);
        await place.destroy(sandbox);
      },
    );
  }

  if (guarantees.hardening.shm) {
    suite.test('mounts.shm', 'has a /dev/shm of the size that was asked for', async (place) => {
      const hardening = { ...place.subject.spec.hardening, shmBytes: 4 * 2 ** 20 };
      const sandbox = await place.create({ spec: { hardening } });
      expect((await sh(sandbox, 'head -c 2097152 /dev/zero >/dev/shm/a')).exitCode).toBe(0);
      expect((await sh(sandbox, 'head -c 8388608 /dev/zero >/dev/shm/b')).exitCode).not.toBe(0);
      await place.destroy(sandbox);
    });
  }
}
