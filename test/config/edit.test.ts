import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { checkFile } from '../../src/config/check.ts';
import { setInFile } from '../../src/config/edit.ts';
import { type Home, newHome } from './home.ts';
import { schema } from './known.ts';

const file = (home: Home): string => join(home.path, 'config.yaml');
const set = async (home: Home, key: string, text: string): Promise<string> => {
  const check = async (now: string): Promise<unknown> => await Promise.resolve(checkFile(schema, now, file(home)));
  await setInFile(home.path, { key, text }, { check });
  return await readFile(file(home), 'utf8');
};

it('a key is set where it is, comments and order stay, and the file is for its owner alone', async () => {
  await using home = await newHome();
  await home.load({ config: '# mine\nterminal:\n  timeout: 60 # a minute\n  backend: docker\n' });
  expect(await set(home, 'terminal.timeout', '5m')).toBe(
    '# mine\nterminal:\n  timeout: 5m # a minute\n  backend: docker\n',
  );
  expect((await stat(file(home))).mode & 0o777).toBe(0o600);
  expect((await home.load()).config.terminal.timeout).toBe(300);
});

it('a file and its sections are made when absent', async () => {
  await using home = await newHome();
  expect(await set(home, 'tasks.ci-*.container_memory', '512m')).toBe('tasks:\n  ci-*:\n    container_memory: 512m\n');
  expect(await set(home, 'terminal.env_passthrough', '[A, B]')).toContain('env_passthrough:\n    - A\n    - B\n');
  expect((await home.load()).forTask('ci-1').terminal).toMatchObject({
    container_memory: 512,
    env_passthrough: ['A', 'B'],
  });
});

it.each([
  ['terminal.timeuot', '5'],
  ['terminal.timeout', 'soon'],
  ['terminal.timeout', '[1'],
  ['nonsense', '1'],
  ['__proto__.polluted', '1'],
  ['terminal..timeout', '1'],
])('%s %s is refused, and the file stays', async (key, text) => {
  await using home = await newHome();
  const before = 'terminal: {timeout: 60}\n';
  await writeFile(file(home), before, { mode: 0o600 });
  await expect(set(home, key, text)).rejects.toMatchObject({ code: 'invalid_argument' });
  expect(await readFile(file(home), 'utf8')).toBe(before);
});

it('a key that keeps the file from loading is put right by setting it', async () => {
  await using home = await newHome();
  await writeFile(file(home), '# mine\nterminal: {timeout: soon}\n', { mode: 0o600 });
  expect(await set(home, 'terminal.timeout', '5m')).toBe('# mine\nterminal: { timeout: 5m }\n');
  await writeFile(file(home), 'terminal: {timeout\n', { mode: 0o600 });
  await expect(set(home, 'terminal.timeout', '5m')).rejects.toMatchObject({ code: 'failed_precondition' });
});
