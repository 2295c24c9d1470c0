/** File tools beside other programs of the sandbox, which remove what a tool has just found, or end the tool itself. */
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { transferError } from '../../../src/files/transfer.ts';
import { runTool } from '../../../src/files/tools/run.ts';
import * as tools from '../../../src/files/tools/tools.ts';
import { processSandbox } from '../process-sandbox.ts';
import { scratch } from '../scratch.ts';

/** A sandbox in which a program does something else first. `script`: with `$gone`, the path of the file `b`. */
function beside(program: string, script: string) {
  const [dir, bin] = [scratch(), scratch()];
  for (const name of ['a', 'b']) writeFileSync(join(dir, name), name);
  const wrapper = `#!/bin/sh\ngone='${join(dir, 'b')}'\n${script}\nPATH=/usr/bin:/bin exec ${program} "$@"\n`;
  writeFileSync(join(bin, program), wrapper);
  chmodSync(join(bin, program), 0o755);
  const sandbox = processSandbox(`${bin}:/usr/bin:/bin`);
  const run: tools.Run = async ({ withholds = false, ...tool }) =>
    await runTool(sandbox, { ...tool, args: withholds ? [...tool.args, ''] : tool.args });
  return { dir, run, path: join(dir, 'b') };
}

const removes = 'rm -f "$gone"';

describe('a file that another program removes', () => {
  it('is left out of a listing that has found it already', async () => {
    const { dir, run } = beside('stat', removes);
    const { entries } = await tools.listDirectory(run, { path: dir });
    expect(entries.map(({ name, size }) => [name, size])).toEqual([['a', 1]]);
  });

  it('is not_found where its facts are asked for', async () => {
    const { run, path } = beside('stat', removes);
    await expect(tools.statFile(run, { path })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is written anew', async () => {
    const { run, path } = beside('cp', removes);
    await tools.writeFile(run, { path, bytes: 'new' });
    expect(readFileSync(path, 'utf8')).toBe('new');
  });
});

describe('a tool that breaks off', () => {
  it('is unavailable when a signal ends its script, and the file is as it was', async () => {
    const { run, path } = beside('cat', 'kill -9 $PPID');
    await expect(tools.writeFile(run, { path, bytes: 'new' })).rejects.toMatchObject({
      code: 'unavailable',
      remedy: expect.stringContaining('memory or processes'),
    });
    expect(readFileSync(path, 'utf8')).toBe('b');
  });

  it.each([
    ['dash and BusyBox without a process', 2],
    ['bash without a process', 254],
    ['a command that was killed', 137],
  ])('is unavailable by the exit code of %s', (_, exitCode) => {
    const failure = transferError({ exitCode, signal: null, outOfMemory: false }, '/workspace/f', "can't fork");
    expect(failure).toMatchObject({ code: 'unavailable', details: { path: '/workspace/f', stderr: "can't fork" } });
  });
});

it('lists names with newlines and of any other kind', async () => {
  const dir = scratch();
  const names = ['two\nlines', '-rf', '..x', '.hidden', 'ends\n', 'ä b'];
  for (const name of names) writeFileSync(join(dir, name), name);
  const sandbox = processSandbox();
  const { entries } = await tools.listDirectory(async (tool) => await runTool(sandbox, tool), { path: dir });
  expect(entries.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  expect(entries.every(({ name, size }) => size === Buffer.byteLength(name))).toBe(true);
});
