import { chmod, lstat, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { isCode } from '../../../src/errors.ts';
import { run, sh } from '../command.ts';
import type { Place } from '../place.ts';
import type { Suite } from '../suite.ts';

const target = '/root/.caisson';

export function credentialCases(suite: Suite): void {
  const { facets, guarantees } = suite.place;

  if (guarantees.credentials === 'copy') return;

  suite.test(
    'credentials.read-only',
    'shows credential files read-only, and they cannot be changed (CF-03)',
    async (place) => {
      const { source, mount } = await staging(place);
      const sandbox = await place.create({ options: { credentials: mount } });
      expect((await run(sandbox, ['cat', `${target}/token.json`])).stdout.toString()).toBe('first');
      const attempts = [
        `echo x >${target}/token.json`,
        `echo x >${target}/new`,
        `chmod 777 ${target}/token.json`,
        `mv ${target}/token.json ${target}/other`,
        `rm -f ${target}/token.json`,
        `mount -o remount,rw ${target}`,
        `umount ${target}`,
        `mv ${target} /root/moved`,
      ];
      const done: string[] = [];
      for (const attempt of attempts) if ((await sh(sandbox, attempt)).exitCode === 0) done.push(attempt);
      expect(done).toEqual([]);
      expect(await readFile(join(source, 'token.json'), 'utf8')).toBe('first');
      expect((await lstat(join(source, 'token.json'))).mode & 0o777).toBe(0o400);
      await place.destroy(sandbox);
    },
  );

  suite.test(
    'credentials.refresh',
    'shows what replaces a file by rename, what is added, and no longer what is removed (CF-04, CF-05)',
    async (place) => {
      const { source, mount } = await staging(place);
      const sandbox = await place.create({ options: { credentials: mount } });
      expect((await run(sandbox, ['cat', `${target}/token.json`])).stdout.toString()).toBe('first');
      await writeFile(join(source, '.next'), 'second', { mode: 0o400 });
      await rename(join(source, '.next'), join(source, 'token.json'));
      await mkdir(join(source, 'deep'), { mode: 0o700 });
      await writeFile(join(source, 'deep', 'key'), 'added', { mode: 0o400 });
      const { stdout } = await run(sandbox, ['cat', `${target}/token.json`, `${target}/deep/key`]);
      expect(stdout.toString()).toBe('secondadded');
      await rm(join(source, 'token.json'));
      expect((await run(sandbox, ['ls', '-A', target])).stdout.toString()).toBe('deep\n');
      await place.destroy(sandbox);
    },
  );

  if (facets.power)
    suite.test('credentials.power', 'shows credential files as they are, also after stop and start', async (place) => {
      const { source, mount } = await staging(place);
      const sandbox = await place.create({ options: { credentials: mount } });
      const stopped = await place.stop(sandbox);
      await chmod(join(source, 'token.json'), 0o600);
      await writeFile(join(source, 'token.json'), 'later');
      const again = await place.start(stopped);
      expect((await run(again, ['cat', `${target}/token.json`])).stdout.toString()).toBe('later');
      await place.destroy(again);
    });

  if (guarantees.persistence === 'directory')
    suite.test(
      'credentials.planted',
      'follows no link that a sandbox before it has left at the target, and leaves no content behind (CF-06, CF-07)',
      async (place) => {
        const directory = await place.directory();
        const { mount } = await staging(place);
        const making = { spec: { persistent: true }, options: { directory, credentials: mount } };
        const honest = await place.create(making);
        await place.destroy(honest);
        const bare = await place.create({ spec: { persistent: true }, options: { directory } });
        expect((await sh(bare, `ls -A ${target}; cat ${target}/*`)).stdout.toString()).toBe('');
        expect((await sh(bare, `rm -rf ${target} && ln -s /workspace ${target}`)).exitCode).toBe(0);
        await place.destroy(bare);
        await expect(place.create(making)).rejects.toSatisfy((error) => isCode(error, 'conflict'));
      },
    );
}

async function staging(place: Place) {
  const source = await place.directory();
  await chmod(source, 0o700);
  await writeFile(join(source, 'token.json'), 'first', { mode: 0o400 });
  return { source, mount: { source, target, readOnly: true } };
}
