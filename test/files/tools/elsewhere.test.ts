/** SEC-F8: a tool that was given a real path refuses when the path leads elsewhere by the time it works. */
import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runTool } from '../../../src/files/tools/run.ts';
import * as tools from '../../../src/files/tools/tools.ts';
import { processSandbox } from '../process-sandbox.ts';
import { scratch } from '../scratch.ts';

type Run = tools.Run;

function exchanged() {
  const dir = realpathSync(scratch());
  mkdirSync(join(dir, 'secret'));
  writeFileSync(join(dir, 'secret/f'), 'denied');
  writeFileSync(join(dir, 'plain'), 'plain');
  symlinkSync('secret', join(dir, 'a'));
  const sandbox = processSandbox();
  const run: Run = async ({ withholds = false, ...tool }) =>
    await runTool(sandbox, { ...tool, args: withholds ? [...tool.args, ''] : tool.args, real: true });
  return { dir, run, path: join(dir, 'a/f') };
}

const acts: Readonly<Record<string, (run: Run, path: string, dir: string) => Promise<unknown>>> = {
  read: (run, path) => tools.readFile(run, { path }),
  write: (run, path) => tools.writeFile(run, { path, bytes: 'ours' }),
  'write to a new file': (run, path) => tools.writeFile(run, { path: `${path}.new`, bytes: 'ours' }),
  list: (run, path) => tools.listDirectory(run, { path: join(path, '..') }),
  stat: (run, path) => tools.statFile(run, { path }),
  'move from it': (run, path, dir) => tools.moveFile(run, { path, to: join(dir, 'out') }),
  'move to it': (run, path, dir) => tools.moveFile(run, { path: join(dir, 'plain'), to: path, replace: true }),
  remove: (run, path) => tools.removeFile(run, { path }),
  search: (run, path) => tools.searchFiles(run, { path: join(path, '..'), pattern: 'denied' }),
};

describe('a real path whose directory is now a link', () => {
  it.each(Object.entries(acts))('%s', async (_, act) => {
    const { dir, run, path } = exchanged();
    await expect(act(run, path, dir)).rejects.toMatchObject({ code: 'conflict' });
    expect(readFileSync(join(dir, 'secret/f'), 'utf8')).toBe('denied');
    expect([readdirSync(join(dir, 'secret')), readdirSync(dir).toSorted()]).toEqual([['f'], ['a', 'plain', 'secret']]);
  });
});
