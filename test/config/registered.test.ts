/** Backends of others: by the program that opens Caisson, and by the home's own configuration. */
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import { openCaisson } from '../../src/main.ts';
import type { OpenInput } from '../../src/service/open.ts';

const example = fileURLToPath(new URL('../../examples/backend/backend.ts', import.meta.url));
let root = '';
let home = '';
let opened: Caisson[] = [];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'caisson-registered-'));
  home = join(root, 'home');
  await mkdir(home, { mode: 0o700 });
});
afterEach(async () => {
  for (const caisson of opened.splice(0)) await caisson.close();
  await rm(root, { recursive: true, force: true, maxRetries: 5 });
});

const open = async (input: Partial<OpenInput> = {}): Promise<Caisson> => {
  const env = { PATH: process.env['PATH'], HOME: root, ...input.env };
  const caisson = await openCaisson({ home, cwd: root, ...input, env });
  opened = [...opened, caisson];
  return caisson;
};
const configured = async (text: string): Promise<void> =>
  await writeFile(join(home, 'config.yaml'), text, { mode: 0o600 });
const directory = (): string => join(root, 'records');

async function works(caisson: Caisson): Promise<void> {
  const result = await caisson.run({ taskId: 'work', command: ['sh', '-c', 'echo "$PWD"; exit 3'] });
  expect(result).toMatchObject({ exit: { exitCode: 3 }, where: { backend: 'mine' } });
  expect(result.where.resource).toContain(directory());
  await caisson.sandboxes.remove('work');
}

describe('a backend that is registered', { timeout: 60_000 }, () => {
  it('by the program runs commands, and has its keys in flags and the environment', async () => {
    const backends = { mine: () => import('../../examples/backend/backend.ts') };
    await works(
      await open({ backends, flags: { 'terminal.backend': 'mine', 'terminal.mine_directory': directory() } }),
    );
    const env = { CAISSON_TERMINAL_BACKEND: 'mine', CAISSON_TERMINAL_MINE_DIRECTORY: directory() };
    await works(await open({ backends, env }));
    await expect(open({ backends, flags: { 'terminal.mine_directory': 'relative' } })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('terminal.mine_directory'),
    });
  });

  it('by the file runs commands, is checked by doctor and shown with its module', async () => {
    await configured(`backends: {mine: ${example}}\nterminal: {backend: mine, mine_directory: ${directory()}}\n`);
    const caisson = await open();
    await works(caisson);
    expect(await caisson.backends.check(['mine', 'local'])).toMatchObject([
      { backend: 'mine', module: example, check: { status: 'ready' } },
      { backend: 'local', module: null },
    ]);
    const shown = (await caisson.config.show()).find(({ key }) => key === 'terminal.mine_directory');
    expect(shown).toMatchObject({ value: directory(), origin: expect.stringContaining('config.yaml:2') });
    expect(JSON.stringify(await caisson.config.schema())).toContain('mine_directory');
  });

  it('is judged by its own isolation before its place is asked', async () => {
    const checker = async (isolation: 'none' | 'container'): Promise<string> => {
      const module = { ...(await import('../../examples/backend/backend.ts')), isolation } as const;
      const caisson = await open({ backends: { mine: () => Promise.resolve(module) } });
      return (await caisson.policy.checker({ backend: 'mine' }))('rm -rf /').verdict;
    };
    expect([await checker('none'), await checker('container')]).toEqual(['deny', 'allow']);
  });

  it('has keys that tasks may override, and none of its place', async () => {
    await configured(`backends: {mine: ${example}}\ntasks: {work: {mine_directory: /tmp}}\n`);
    await expect(open()).rejects.toMatchObject({ message: expect.stringContaining('terminal.mine_directory') });
  });
});

describe('a backend is refused', () => {
  const load = async () => await import('../../examples/backend/backend.ts');

  it.each(['docker', 'modal'])('under the name %s, which is taken', async (name) => {
    await expect(open({ backends: { [name]: load } })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it.each(['Mine', '', '9mine', 'my_box'])('under %j, which is not a name', async (name) => {
    await expect(open({ backends: { [name]: load } })).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('with a key that is taken', async () => {
    const config = { defaults: { cpu: 1 }, schema: () => Promise.resolve({}) };
    const container = async () => ({ ...(await load()), config });
    await expect(open({ backends: { container } })).rejects.toMatchObject({
      message: 'the backend container has the key terminal.container_cpu, which is taken',
    });
  });

  it.each([
    ['nothing', ''],
    ['no isolation', 'export const open = () => ({});'],
    ['an isolation that is not one', "export const open = () => ({}); export const isolation = 'much';"],
    [
      'keys without a schema',
      "export const open = () => ({}); export const isolation = 'vm'; export const config = {};",
    ],
  ])('when its module exports %s', async (_what, text) => {
    await writeFile(join(home, 'mine.mjs'), text);
    await configured('backends: {mine: mine.mjs}\n');
    await expect(open()).rejects.toMatchObject({
      code: 'invalid_argument',
      remedy: expect.stringContaining('isolation'),
    });
  });

  it('when its module cannot be found or loaded', async () => {
    await configured('backends: {mine: absent.mjs}\n');
    await expect(open()).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('absent'),
    });
    await writeFile(join(home, 'absent.mjs'), 'syntax error');
    await expect(open()).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining('loaded'),
    });
  });

  it('when other users can write its module, or a directory above it, also behind a link', async () => {
    const [there, module] = [join(root, 'there'), join(root, 'there', 'mine.mjs')];
    await mkdir(there);
    await copyFile(example, module);
    await symlink(module, join(home, 'linked.mjs'));
    await configured('backends: {mine: linked.mjs}\n');
    await chmod(module, 0o666);
    await expect(open()).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining(module),
    });
    await chmod(module, 0o644);
    await chmod(there, 0o777);
    await expect(open()).rejects.toMatchObject({
      code: 'failed_precondition',
      message: expect.stringContaining(there),
    });
  });

  it('in the file of a project', async () => {
    await mkdir(join(root, '.caisson'));
    await writeFile(join(root, '.caisson', 'permissions.yaml'), `backends: {mine: ${example}}\n`);
    const caisson = await open({ cwd: root });
    const asked = caisson.policy.ignored();
    await expect(asked).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('backends'),
    });
    await expect(caisson.sandboxes.create({ backend: 'mine' })).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
