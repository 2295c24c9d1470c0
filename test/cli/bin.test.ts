import { chown, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sourceProgram as bin } from '../program.ts';
import { finished, olderNode, scratch, start } from './process.ts';

const older = await olderNode();
const version = /"version": "(.+)"/.exec(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))?.[1];

/** Tells every file that Node loads, on stderr. */
const tellLoads = `data:text/javascript,${encodeURIComponent(
  "import { registerHooks } from 'node:module'; registerHooks({ load(url, context, next) { process.stderr.write('LOAD ' + url + '\\n'); return next(url, context); } });",
)}`;

/** A main that ends with 43 on SIGTERM. */
const exitsOnTerm =
  "exports.main = () => { process.once('SIGTERM', () => process.exit(43)); setInterval(() => {}, 1000); process.stdout.write('up ' + process.pid + '\\n'); };";

/** Holds the caller of `spawn` for a second after the process has started, as a busy machine does. */
const slowSpawn = `data:text/javascript,${encodeURIComponent(
  "import processes from 'node:child_process'; import { syncBuiltinESMExports } from 'node:module'; const { spawn } = processes; processes.spawn = (...given) => { const child = spawn(...given); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000); return child; }; syncBuiltinESMExports();",
)}`;

describe('the program', () => {
  it.each(older === null ? [process.execPath] : [process.execPath, older])(
    'answers --version and --help by itself on %s',
    async (node) => {
      await using at = await scratch();
      for (const word of ['--version', '-V', '-v'])
        expect(await finished(node, [bin, word], at.env)).toEqual({
          exitCode: 0,
          signal: null,
          stdout: `caisson ${version}\n`,
          stderr: '',
        });
      const help = await readFile(new URL('../../bin/help.txt', import.meta.url), 'utf8');
      for (const args of [['--help'], ['-h'], ['help'], []])
        expect(await finished(node, [bin, ...args], at.env)).toEqual({
          exitCode: 0,
          signal: null,
          stdout: help,
          stderr: '',
        });
    },
  );

  it('loads one file for --version, and no third party for the help of a command', async () => {
    await using at = await scratch();
    const loads = async (...args: string[]) =>
      (await finished(process.execPath, ['--import', tellLoads, bin, ...args], at.env)).stderr.match(/LOAD file:.*/g) ??
      [];
    expect(await loads('--version')).toEqual([`LOAD file://${bin}`]);
    const files = await loads('run', '--help');
    expect(files.length).toBeGreaterThan(3);
    expect(
      files.filter((file) =>
        /node_modules|\/src\/(?!cli\/|errors|service\/(?:api|pages)|lib\/(?:nearest|given)|exec\/exit|sandbox\/limits-text|values\/|guard\/asked|policy\/approval\/finding-text)/.test(
          file,
        ),
      ),
    ).toEqual([]);
  });

  it('loads its client and nothing of the library for a command through a service', { timeout: 60_000 }, async () => {
    await using at = await scratch();
    const home = join(at.path, 'home');
    await mkdir(home, { mode: 0o700 });
    await writeFile(join(home, 'config.yaml'), 'terminal: {backend: local}\n', { mode: 0o600 });
    const env = { ...at.env, CAISSON_HOME: home };
    const service = start(process.execPath, [bin, 'serve', '--port', '0'], env);
    await service.wrote('http://');
    const seen = await finished(process.execPath, ['--import', tellLoads, bin, 'ls'], env);
    service.child.kill('SIGTERM');
    await service.ended;
    expect(seen).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('TASK') });
    const files = seen.stderr.match(/LOAD file:.*/g) ?? [];
    expect(files.some((file) => file.endsWith('/src/client/unix/transport.ts'))).toBe(true);
    const known =
      /\/src\/(?:cli|client|values)\/|\/src\/(?:errors|service\/(?:api|pages|verbs\/[\w-]+)|exec\/(?:exit|heard|outcome)|sandbox\/limits-text|guard\/(?:asked|inside)|policy\/approval\/finding-text)\.ts|\/src\/lib\/(?:nearest|given|find-home|service-record|start-time|lives|build|traced|remembered)\.ts/;
    expect(files.filter((file) => /node_modules|\/src\//.test(file) && !known.test(file))).toEqual([]);
    const builtins = seen.stderr.match(/LOAD node:.*/g) ?? [];
    expect(builtins.filter((name) => /node:(?:https?|crypto|sqlite|fs\/promises|worker_threads)$/.test(name))).toEqual(
      [],
    );
  });

  it('exits with 2 for what it does not understand', async () => {
    await using at = await scratch();
    const { exitCode, stdout, stderr } = await finished(process.execPath, [bin, 'rnu'], at.env);
    expect([exitCode, stdout, stderr]).toEqual([
      2,
      '',
      'caisson: unknown command rnu (invalid_argument)\n  try: did you mean caisson run?\n',
    ]);
  });

  it('works from a directory that is there no more, and says so where it needs it', async () => {
    await using at = await scratch();
    const gone = join(at.path, 'gone');
    const from = ['-c', 'mkdir "$0" && cd "$0" && rmdir "$0" && exec "$@"', gone, process.execPath, bin];
    const run = async (...args: string[]) => await finished('/bin/sh', [...from, ...args], at.env);
    expect(await run('ls')).toMatchObject({ exitCode: 0, stderr: '' });
    const { exitCode, stderr } = await run('run', '--backend', 'local', '--', 'pwd');
    expect(exitCode).toBe(125);
    expect(stderr).toContain(`caisson: the working directory ${gone} is not a directory`);
  });

  it('keeps compiled code in a directory of the user', async () => {
    await using at = await scratch();
    const unchosen = { NODE_COMPILE_CACHE: '', XDG_CACHE_HOME: '' };
    await finished(process.execPath, [bin, 'run', '--help'], { ...at.env, ...unchosen });
    await finished(process.execPath, [bin, 'run', '--help'], {
      ...unchosen,
      HOME: '/nowhere',
      XDG_CACHE_HOME: join(at.path, 'cache'),
    });
    for (const path of ['.cache/caisson/compile', 'cache/caisson/compile'])
      await expect(readFile(join(at.path, path))).rejects.toMatchObject({ code: 'EISDIR' });
  });
});

it.skipIf(process.getuid?.() !== 0)("keeps no code below another user's home, as under sudo", async () => {
  await using at = await scratch();
  const home = join(at.path, 'theirs');
  await mkdir(home);
  await chown(home, 65_534, 65_534);
  const env = { HOME: home, NODE_COMPILE_CACHE: '' };
  expect((await finished(process.execPath, [bin, 'run', '--help'], env)).exitCode).toBe(0);
  expect(await readdir(home)).toEqual([]);
});

describe.skipIf(older === null)('the program on a Node that is too old', () => {
  const node = older ?? '';

  it('runs on the one of the node package, and mirrors the exit code', async () => {
    await using at = await scratch();
    expect((await finished(node, [bin, 'ls', '--help'], at.env)).stdout).toContain('Usage: caisson ls');
    expect((await finished(node, [bin, 'run', '--memory', '0', '--', 'x'], at.env)).exitCode).toBe(2);
  });

  it('passes signals on and mirrors how the other one ended', async () => {
    await using at = await scratch();
    const copy = await copyWith(at.path, exitsOnTerm);
    const passed = start(node, [copy], at.env);
    await passed.wrote('up ');
    passed.child.kill('SIGTERM');
    expect(await passed.ended).toMatchObject({ exitCode: 43, signal: null });

    const killed = start(node, [copy], at.env);
    let pid = 0;
    killed.child.stdout?.on('data', (chunk: Buffer) => (pid = Number(/up (\d+)/.exec(chunk.toString())?.[1])));
    await killed.wrote('up ');
    process.kill(pid, 'SIGKILL');
    expect(await killed.ended).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
  });

  it('passes on a signal that arrives while the other one starts', async () => {
    await using at = await scratch();
    const copy = await copyWith(at.path, exitsOnTerm);
    const passed = start(node, ['--import', slowSpawn, copy], at.env);
    await passed.wrote('up ');
    passed.child.kill('SIGTERM');
    expect(await passed.ended).toMatchObject({ exitCode: 43, signal: null });
  });

  it('says what is needed when there is no other', async () => {
    await using at = await scratch();
    const copy = await copyWith(at.path, '', { withNode: false });
    const { exitCode, stderr } = await finished(node, [copy], at.env);
    expect(exitCode).toBe(125);
    expect(stderr).toMatch(/^caisson: Caisson needs Node 24 or newer, and this is v\d+.*\n {2}try: install Node 24/);
  });
});

it('the program says when it is not complete', async () => {
  await using at = await scratch();
  const copy = await copyWith(at.path, null);
  const { exitCode, stderr } = await finished(process.execPath, [copy], at.env);
  expect([exitCode, stderr]).toEqual([125, expect.stringContaining('neither src nor dist')]);
});

/** A package with the real start and a main of its own (`null`: none); resolves to a start that is called with a word. */
async function copyWith(path: string, main: string | null, { withNode = true } = {}): Promise<string> {
  const root = join(path, `package-${Math.random().toString(36).slice(2)}`);
  await mkdir(join(root, 'bin'), { recursive: true });
  await mkdir(join(root, 'dist/code'), { recursive: true });
  await mkdir(join(root, 'node_modules/node/bin'), { recursive: true });
  await writeFile(join(root, 'package.json'), '{"type":"module","version":"0.0.0"}');
  const source = await readFile(bin, 'utf8');
  await writeFile(join(root, 'bin/caisson.cjs'), source.replace('process.argv.slice(2)', "['go']"));
  for (const name of ['code-cache.cjs', 'one-tier.cjs']) await cp(join(bin, '..', name), join(root, 'bin', name));
  if (main !== null) await writeFile(join(root, 'dist/code/cli.cjs'), main);
  if (withNode) {
    await writeFile(join(root, 'node_modules/node/package.json'), '{"version":"24.0.0"}');
    await cp(process.execPath, join(root, 'node_modules/node/bin/node'));
  }
  return join(root, 'bin/caisson.cjs');
}
