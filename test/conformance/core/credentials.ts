import { expect } from 'vitest';
import { copyFile, removeCopies } from '../../../src/secrets/credentials/copied.ts';
import { run, sh } from '../command.ts';
import type { Suite } from '../suite.ts';

export function credentialCopyCases(suite: Suite): void {
  suite.test(
    'credentials.copy',
    'takes credential files by commands, which no other user may read, and gives them up (CF-05, CF-07, CF-08)',
    async (place) => {
      const sandbox = await place.create();
      const copies = { sandbox, key: place.instance, directory: '' };
      const bytes = Buffer.from([0, 10, 255, 13, 39]);
      const directory = await copyFile(copies, 'deep/key', bytes);
      await copyFile(copies, 'token.json', Buffer.from('first'));
      await copyFile(copies, 'token.json', Buffer.from('second'));
      expect((await run(sandbox, ['cat', `${directory}/deep/key`])).stdout).toEqual(bytes);
      expect((await run(sandbox, ['cat', `${directory}/token.json`])).stdout.toString()).toBe('second');
      const { stdout } = await sh(sandbox, `cd '${directory}' && ls -lR . | cut -c 1-10 | sort -u`);
      expect(stdout.toString().match(/^[d-][rwx-]{9}/gm)).toEqual(['-r--------', 'drwx------']);
      await removeCopies(copies, ['token.json']);
      expect((await run(sandbox, ['ls', directory])).stdout.toString()).toBe('deep\n');
      await removeCopies(copies, []);
      expect((await sh(sandbox, `[ ! -e '${directory}' ]`)).exitCode).toBe(0);
      await place.destroy(sandbox);
    },
  );
}
