/** What a search in a sandbox finds, and what it may not. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { runTool } from '../../../src/files/tools/run.ts';
import { type Run, searchFiles } from '../../../src/files/tools/tools.ts';
import { processSandbox } from '../process-sandbox.ts';

let dir: string;
beforeEach(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'caisson-search-')));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const name of ['work/[a]*', 'home/credentials/sub']) mkdirSync(join(dir, name), { recursive: true });
  for (const name of ['work/[a]*/note', 'home/note', 'home/credentials/token', 'home/credentials/sub/token'])
    writeFileSync(join(dir, name), `needle in ${name}\n`);
  symlinkSync('home', join(dir, 'way'));
  symlinkSync('home/credentials', join(dir, 'short'));
  symlinkSync('.', join(dir, 'here'));
});

const run: Run = ({ withholds, ...tool }) =>
  runTool(processSandbox(), {
    ...tool,
    args: [...tool.args, ...(withholds === true ? [join(dir, 'home/credentials')] : [])],
  });

const found = async (path: string): Promise<readonly string[]> => {
  const { matches } = await searchFiles(run, { path: join(dir, path), pattern: 'needle' });
  return matches.map((match) => match.path.slice(dir.length + 1)).toSorted();
};

describe('a search', () => {
  it('finds lines of files, but not of those that are withheld', async () => {
    expect(await found('')).toEqual(['home/note', 'work/[a]*/note']);
    expect(await found('home')).toEqual(['home/note']);
    expect(await found('work/[a]*')).toEqual(['work/[a]*/note']);
    expect(await found('way')).toEqual(['way/note']);
  });

  it.each(['home/credentials', 'home/credentials/token', 'home/credentials/sub', 'way/credentials/sub', 'short/sub'])(
    'in what is withheld is refused, by whatever link: %s',
    async (path) => {
      await expect(found(path)).rejects.toMatchObject({ code: 'policy_denied' });
    },
  );

  it('leaves out what is withheld also behind a link', async () => {
    expect(await found('here/home')).toEqual(['here/home/note']);
  });
});
