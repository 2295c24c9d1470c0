import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Home, makeHome } from './home.ts';

const configure = async (home: Home, text: string): Promise<void> =>
  await writeFile(join(home.path, 'config.yaml'), text, { mode: 0o600 });

it('commands on local start in terminal.cwd, and in the directory of the caller without it', async () => {
  await using home = await makeHome();
  const work = join(home.path, 'work');
  await mkdir(work);
  expect((await home.cli(['run', '-q', '--backend', 'local', '--', 'pwd'])).stdout).toBe(`${home.path}\n`);
  await configure(home, `terminal: {backend: local, cwd: ${work}}\n`);
  expect((await home.cli(['run', '-q', '--', 'pwd'])).stdout).toBe(`${work}\n`);
  expect((await home.cli(['run', '-q', '-w', '/', '--', 'pwd'])).stdout).toBe('/\n');
});

it('a backend that is not known is an error with the nearest name', async () => {
  await using home = await makeHome();
  await configure(home, 'terminal: {backend: dokcer}\n');
  expect(await home.cli(['config', 'check'])).toMatchObject({
    code: 125,
    stderr: expect.stringMatching(/"dokcer" \(terminal\.backend, file .*config\.yaml:1.*did you mean docker\?/s),
  });
});

it('a rule for a tool that is not known is a warning with the nearest name', async () => {
  await using home = await makeHome();
  await configure(home, 'approvals: {rules: {deny: ["terminl(rm -rf:*)", "terminal(reboot)"]}}\n');
  for (const verb of [['config', 'check'], ['ls']])
    expect((await home.cli(verb)).stderr).toBe(
      'caisson: the rule "terminl(rm -rf:*)" has no effect: no tool of Caisson is called terminl, did you mean terminal?\n',
    );
  const { stderr } = await home.cli(['exec', 'none', '--deny', 'Bash(x)', '--', 'true']);
  expect(stderr).toContain('no tool of Caisson is called Bash');
});

it('a container carries the name of its task', async () => {
  await using home = await makeHome();
  await home.cli(['run', '-q', '--task', 'my_build-7', '--', 'true']);
  const names = await home.engine(['ps', '-a', '--format', '{{.Names}}']);
  expect(names).toMatch(/^caisson-[a-z0-9]{8}-my-build-7-[a-z0-9]{16}$/m);
});

it('config show --task shows what would hold for a task, and where it was said', async () => {
  await using home = await makeHome();
  await configure(home, 'terminal: {container_memory: 2g}\ntasks: {"ci-*": {container_memory: 512m}}\n');
  const shown = async (...args: readonly string[]): Promise<string> =>
    (await home.cli(['config', 'show', 'terminal.container_memory', '--origin', ...args])).stdout;
  expect(await shown('--task', 'ci-7')).toMatch(/512\s+task ci-\* at .*config\.yaml:2/);
  expect(await shown('--task', 'other')).toMatch(/2048\s+file .*config\.yaml:1/);
  expect(await home.cli(['config', 'show', '--task', 'Not A Task'])).toMatchObject({ code: 125 });
});

it('config set changes the file, and says what is wrong with a value', async () => {
  await using home = await makeHome();
  expect(await home.cli(['config', 'set', 'terminal.container_memory', '64m'])).toMatchObject({ code: 0 });
  expect(await home.cli(['config', 'set', 'terminal.container_memory', 'lots'])).toMatchObject({
    code: 125,
    stderr: expect.stringContaining('expected whole megabytes from 6 on'),
  });
  expect((await home.cli(['config', 'show', 'terminal.container_memory'])).stdout).toMatch(/ 64\n/);
});
