/** Links at the end of a path that lead nowhere yet, with the tools of GNU and of BusyBox. */
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runTool } from '../../../src/files/tools/run.ts';
import { readFile, writeFile } from '../../../src/files/tools/tools.ts';
import { touchedBy } from '../../../src/files/tools/touched.ts';
import { processSandbox } from '../process-sandbox.ts';
import { busyboxPath, scratch } from '../scratch.ts';

describe.each(['GNU', 'BusyBox'])('with the tools of %s', (kind) => {
  const open = () => {
    const dir = realpathSync(scratch());
    const sandbox = processSandbox(kind === 'GNU' ? undefined : busyboxPath(dir));
    mkdirSync(join(dir, 'a'));
    mkdirSync(join(dir, 'b'));
    symlinkSync('../b/second', join(dir, 'a/first'));
    symlinkSync('file', join(dir, 'b/second'));
    symlinkSync('file/', join(dir, 'b/slash'));
    symlinkSync('new/../file', join(dir, 'b/up'));
    symlinkSync('new/deep', join(dir, 'b/deep'));
    return { dir, sandbox };
  };

  it.each([
    ['a/first', 'b/file'],
    ['b/second', 'b/file'],
    ['b/slash', 'b/file'],
    ['b/deep', 'b/new/deep'],
  ])('a write to %s goes to %s, and that is what rules judge', async (link, file) => {
    const { dir, sandbox } = open();
    expect((await touchedBy(sandbox, { path: join(dir, link) }, undefined)).paths).toEqual([join(dir, file)]);
    await writeFile(async (tool) => await runTool(sandbox, tool), { path: join(dir, link), bytes: 'written' });
    expect(readFileSync(join(dir, file), 'utf8')).toBe('written');
    expect(lstatSync(join(dir, link)).isSymbolicLink()).toBe(true);
  });

  it('what leads through places that are not there is refused', async () => {
    const { dir, sandbox } = open();
    const looking = touchedBy(sandbox, { path: join(dir, 'b/up') }, undefined);
    await expect(looking).rejects.toMatchObject({ code: 'policy_denied' });
    expect(existsSync(join(dir, 'b/new'))).toBe(false);
  });

  it('a directory is reported to be one', async () => {
    const { dir, sandbox } = open();
    const run = async (tool: Parameters<typeof runTool>[1]) =>
      await runTool(sandbox, { ...tool, args: [...tool.args, ''] });
    await expect(readFile(run, { path: dir })).rejects.toMatchObject({ message: `${dir} is a directory` });
  });
});
