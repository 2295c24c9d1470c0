/** SEC-F13: a copied state directory, and one that others can look into. */
import { chmodSync, cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openCaisson } from '../../../src/main.ts';

function directories() {
  const root = mkdtempSync(join(tmpdir(), 'caisson-identity-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const open = async (name: string) =>
    await openCaisson({
      home: join(root, name),
      env: { PATH: process.env['PATH'], HOME: root, CAISSON_TERMINAL_BACKEND: 'local' },
      cwd: root,
    });
  return { root, open };
}

it('a copy of a state directory collects nothing, a moved one does', async () => {
  const { root, open } = directories();
  await (await open('home')).close();
  cpSync(join(root, 'home'), join(root, 'copy'), { recursive: true });
  const copy = await open('copy');
  await expect(copy.sandboxes.gc({ dryRun: false })).rejects.toMatchObject({
    code: 'failed_precondition',
    remedy: expect.stringContaining('directory-id'),
  });
  rmSync(join(root, 'copy/directory-id'));
  expect(await copy.sandboxes.gc({ dryRun: true })).toEqual([]);
  await copy.close();
  renameSync(join(root, 'home'), join(root, 'moved'));
  const moved = await open('moved');
  expect(await moved.sandboxes.gc({ dryRun: false })).toEqual([]);
  await moved.close();
  expect(existsSync(join(root, 'home'))).toBe(false);
});

it('a state directory that others can look into is reported', async () => {
  const { root, open } = directories();
  await (await open('home')).close();
  chmodSync(join(root, 'home'), 0o755);
  const caisson = await open('home');
  expect(caisson.config.notices).toContain(
    `other users can look into the state directory ${join(root, 'home')} (mode 755): chmod 700 ${join(root, 'home')}`,
  );
  await caisson.close();
});
