/** `bin/caisson`, the start of the command line: nothing of its command line is for Node. */
import { existsSync } from 'node:fs';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { finished, olderNode, scratch } from './process.ts';

const launcher = fileURLToPath(new URL('../../bin/caisson', import.meta.url));
const older = await olderNode();
const nodes = older === null ? [process.execPath] : [process.execPath, older];
/** dash, bash, and the one of Alpine. */
const shells = [['/bin/sh'], ['/bin/bash'], ['/usr/bin/busybox', 'sh']].filter(([path = '']) => existsSync(path));

/** Names that a file of variables may have on the command line, as Node reads them too. */
const forms = (file: string): readonly (readonly string[])[] => [
  ['--env-file', file],
  [`--env-file=${file}`],
  ['--env-file-if-exists', file],
];

async function pathWith(at: string, node: string): Promise<string> {
  await mkdir(join(at, 'bin'), { recursive: true });
  await symlink(node, join(at, 'bin/node'));
  return `${join(at, 'bin')}:${process.env['PATH'] ?? ''}`;
}

describe.each(nodes)('the launcher on %s', (node) => {
  it.each(shells)('lets no file of variables run code on the host, in %s %s', async (...shell) => {
    await using at = await scratch();
    const PATH = await pathWith(at.path, node);
    const file = join(at.path, 'variables');
    await writeFile(file, 'NODE_OPTIONS=--import=data:text/javascript,process._rawDebug(1234567)\n');
    for (const form of forms(file)) {
      const [program = '', ...words] = shell.filter((word) => word !== undefined);
      const run = [...words, launcher, 'run', '-q', '--backend', 'local', ...form, '--', 'true'];
      const { exitCode, stdout, stderr } = await finished(program, run, { ...at.env, PATH });
      expect(stdout + stderr).not.toContain('1234567');
      expect(exitCode).not.toBe(0);
      expect(stderr).toMatch(/^caisson: /);
    }
  });

  it('leaves the error of a missing file to Caisson', async () => {
    await using at = await scratch();
    const PATH = await pathWith(at.path, node);
    const run = ['run', '--backend', 'local', '--env-file', '/nowhere', '--', 'true'];
    const { exitCode, stderr } = await finished(launcher, run, { ...at.env, PATH });
    expect(exitCode).toBe(125);
    expect(stderr).toMatch(/^caisson: .*\/nowhere/);
  });
});

describe('the launcher', () => {
  it('is found through links, and by its bare name', async () => {
    await using at = await scratch();
    const links = join(at.path, 'links');
    await mkdir(links);
    await symlink(launcher, join(links, 'absolute'));
    await symlink('absolute', join(links, 'caisson'));
    const PATH = `${links}:${process.env['PATH'] ?? ''}`;
    const program = (await finished('/bin/sh', ['-c', 'caisson --version'], { ...at.env, PATH })).stdout;
    expect(program).toMatch(/^caisson \d/);
    expect((await finished(join(links, 'caisson'), ['--version'], at.env)).stdout).toBe(program);
    const there = ['-c', 'cd "$0" && sh caisson --version', dirname(launcher)];
    expect((await finished('/bin/sh', there, at.env)).stdout).toBe(program);
  });

  it('says what is missing where there is no Node', async () => {
    await using at = await scratch();
    const { exitCode, stderr } = await finished('/bin/sh', [launcher, 'ls'], { ...at.env, PATH: at.path });
    expect(exitCode).toBe(125);
    expect(stderr).toContain('Node 24 or newer is needed');
  });
});
