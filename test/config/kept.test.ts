import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { keptIn } from '../../src/lib/kept.ts';
import { known } from './known.ts';
import { type Files, type Home, newHome } from './home.ts';

const written = 'terminal:\n  backend: docker\n  container_cpu: 2\n';
const kept = (home: Home) => join(home.path, 'cache/config.json');

/** Loads the configuration in the way of a process of a built package. */
async function start(home: Home, files: Files = {}, build = 'b1') {
  await home.load(files);
  const keeping = { values: keptIn(join(home.path, 'cache')), build };
  return await loadConfig({ backends: known, home: home.path, env: files.env ?? {}, cwd: '/', keeping });
}

/** Changes what was kept, so that a load that reads it shows the change. */
async function mark(home: Home): Promise<void> {
  const value: unknown = JSON.parse(
    (await readFile(kept(home), 'utf8')).replace('"container_cpu":2', '"container_cpu":3'),
  );
  keptIn(join(home.path, 'cache')).write('config', value);
}

const coresOf = async (loading: ReturnType<typeof start>) => (await loading).config.terminal.container_cpu;

test('a second process takes the checked configuration from the first, with the origins of its values', async () => {
  await using home = await newHome();
  const first = await start(home, { config: written });
  const second = await start(home);
  expect([second.config, second.origins]).toEqual([first.config, first.origins]);
  expect(second.forTask('any').originOf('container_cpu')).toBe(first.forTask('any').originOf('container_cpu'));
  await mark(home);
  expect(await coresOf(start(home))).toBe(3);
  expect((await stat(kept(home))).mode & 0o777).toBe(0o600);
});

test.each<readonly [string, Files, string]>([
  ['the file changes', { config: `${written}# more\n` }, 'b1'],
  ['a switch changes', { env: { CAISSON_TERMINAL_TIMEOUT: '9' } }, 'b1'],
  ['the build changes', {}, 'b2'],
])('the file is checked again when %s', async (_, files, build) => {
  await using home = await newHome();
  await start(home, { config: written });
  await mark(home);
  expect(await coresOf(start(home, files, build))).toBe(2);
});

test('a file that is wrong is an error each time, also after a right one', async () => {
  await using home = await newHome();
  await start(home, { config: written });
  for (let time = 0; time < 2; time++)
    await expect(start(home, { config: 'terminal: {container_cpu: many}\n' })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
});

test.each([
  [
    'values of the environment of MCP servers',
    'mcp_servers: {files: {command: npx, env: {TOKEN: value-of-a-secret}}}\n',
  ],
  ['overrides by task', 'tasks: {build: {container_cpu: 4}}\n'],
])('%s are not kept', async (_, more) => {
  await using home = await newHome();
  await start(home, { config: written + more });
  await expect(stat(kept(home))).rejects.toThrow('ENOENT');
});

test('what a crash left half-written counts as absent', async () => {
  await using home = await newHome();
  await start(home, { config: written });
  await writeFile(kept(home), '{"key":"');
  expect(await coresOf(start(home))).toBe(2);
});
