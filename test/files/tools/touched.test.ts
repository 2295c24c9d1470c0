/** Real paths as the script in the sandbox tells them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { type Touch, touchedBy } from '../../../src/files/tools/touched.ts';
import { printingSandbox, processSandbox } from '../process-sandbox.ts';

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-touched-')));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  mkdirSync(join(dir, 'real', 'sub'), { recursive: true });
  writeFileSync(join(dir, 'real', 'a\nb'), '');
  symlinkSync('real', join(dir, 'way'));
  symlinkSync('real/a\nb', join(dir, 'file'));
  symlinkSync('nowhere', join(dir, 'dangling'));
  symlinkSync('loop', join(dir, 'loop'));
});

const touched = async (touch: Touch): Promise<readonly string[]> =>
  (await touchedBy(processSandbox(), { ...touch, path: join(dir, touch.path) }, undefined)).paths.map((path) =>
    path.slice(dir.length),
  );

it.each<[string, Omit<Touch, 'path'>, readonly string[]]>([
  ['real/sub', {}, ['/real/sub']],
  ['way/sub', {}, ['/real/sub']],
  ['file', {}, ['/real/a\nb']],
  ['file', { entry: true }, ['/file']],
  ['way/x/y', {}, ['/real/x/y']],
  ['way/x/y', { entry: true }, ['/real/x/y']],
  ['dangling', {}, ['/nowhere']],
  ['way', { entry: true, tree: true }, ['/way']],
  ['way/sub', { entry: true, tree: true }, ['/real/sub', '/real/sub']],
])('%s, %j: %j', async (path, how, expected) => {
  expect(await touched({ path, ...how })).toEqual(expected);
});

it('all that is below comes along, whatever its name', async () => {
  expect((await touched({ path: 'way', tree: true })).toSorted()).toEqual([
    ...['/real', '/real', '/real/a\nb', '/real/sub'],
  ]);
});

it('the root is itself', async () => {
  expect((await touchedBy(processSandbox(), { path: '/', entry: true }, undefined)).paths).toEqual(['/']);
});

it.each(['loop', 'loop/x'])('what leads nowhere is refused: %s', async (path) => {
  await expect(touched({ path })).rejects.toMatchObject({ code: 'policy_denied' });
});

it('tells that there is more than it took, and refuses what is no answer', async () => {
  const endless = Buffer.from(`/x\0${'/x/y\0'.repeat(1_000_000)}`);
  const { whole } = await touchedBy(printingSandbox(endless), { path: '/x', tree: true }, undefined);
  expect(whole).toBe(false);
  const silent = touchedBy(printingSandbox(Buffer.from('x')), { path: '/x' }, undefined);
  await expect(silent).rejects.toMatchObject({ code: 'policy_denied' });
});
