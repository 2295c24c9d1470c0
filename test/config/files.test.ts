/** The files under config/ and the cost of loading. */
import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { checkFile } from '../../src/config/check.ts';
import { unsectioned } from '../../src/config/defaults.ts';
import { parseYaml } from '../../src/config/document.ts';
import { configSchema } from '../../src/config/json-schema.ts';
import { defaults, known as backends, schema } from './known.ts';
import { containing, someText } from '../matchers.ts';

const folder = new URL('../../config/', import.meta.url);
const read = async (name: string): Promise<string> => await readFile(new URL(name, folder), 'utf8');

function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (node, part) => (typeof node === 'object' && node !== null ? Reflect.get(node, part) : undefined),
    value,
  );
}

function sectionsIn(value: unknown): Readonly<Record<string, object>> {
  const parts = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(parts.map(([name, part]: [string, unknown]) => [name, Object(part)] as const));
}

describe('config/default.yaml', () => {
  it('loads, and is what holds without a file', async () => {
    const text = await read('default.yaml');
    checkFile(schema, text, 'default.yaml');
    expect(parse(text)).toEqual({
      ...defaults,
      ...unsectioned,
    });
  });

  it('has exactly the keys of the schema', async () => {
    const { value } = parseYaml(await read('default.yaml'), 'default.yaml');
    const keys = Object.entries(sectionsIn(value))
      .filter(([name]) => !Object.hasOwn(unsectioned, name))
      .map(([name, section]) => [name, Object.keys(section).sort()]);
    const known = Object.entries(schema.sections).map(([name, section]) => [name, Object.keys(section.shape).sort()]);
    expect(keys).toEqual(known);
  });

  it('has a comment above every key', async () => {
    const lines = (await read('default.yaml')).split('\n');
    const bare = lines.filter((line, index) => /^ {2}[a-z_]+:/.test(line) && !/^ {2}# /.test(lines[index - 1] ?? ''));
    expect(bare).toEqual([]);
  });

  it('agrees with the schema, which takes each default for legal', () => {
    for (const [name, section] of Object.entries(schema.sections))
      expect(section.parse(Reflect.get(defaults, name))).toEqual(Reflect.get(defaults, name));
  });
});

describe('config/schema.json', () => {
  it('is what the schema gives (print it anew with `caisson config schema`)', async () => {
    expect(JSON.parse(await read('schema.json'))).toEqual(JSON.parse(JSON.stringify(await configSchema(backends))));
  });

  it('knows the default and the meaning of every key', async () => {
    const json = await configSchema(backends);
    const properties = Object.entries(schema.sections).flatMap(([name, section]) =>
      Object.keys(section.shape).map((key) => ['properties', name, 'properties', key]),
    );
    for (const path of properties) {
      const found = at(json, path);
      expect(found).toMatchObject({
        description: someText(),
        default: at(defaults, [path[1] ?? '', path[3] ?? '']),
      });
    }
  });
});

describe('config/examples', () => {
  it('all load', async () => {
    const names = await readdir(new URL('examples/', folder));
    expect(names.length).toBeGreaterThan(1);
    for (const name of names)
      expect(checkFile(schema, await read(`examples/${name}`), name).settings.length).toBeGreaterThan(0);
  });
});

describe('loading', () => {
  const script = (home: string): string => `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ resolve(name, context, next) { seen.push(name); return next(name, context); } });
    const { loadConfig } = await import(${JSON.stringify(new URL('../../src/config/load.ts', import.meta.url).href)});
    const { backends, usual } = await import(${JSON.stringify(new URL('../../backends/index.ts', import.meta.url).href)});
    const { backendKeys } = await import(${JSON.stringify(new URL('../../src/config/backends.ts', import.meta.url).href)});
    const heavy = () => seen.filter((name) => name === 'zod' || name === 'yaml').join();
    const imported = heavy();
    const known = backendKeys(usual, backends);
    const env = { CAISSON_TERMINAL_TIMEOUT: process.env.SWITCH };
    await loadConfig({ home: ${JSON.stringify(home)}, env, cwd: '/', backends: known });
    console.log(JSON.stringify([imported, heavy()]));`;

  async function modules(environment: NodeJS.ProcessEnv): Promise<unknown> {
    const { newHome } = await import('./home.ts');
    await using home = await newHome();
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script(home.path)], {
      env: environment,
    });
    return JSON.parse(stdout);
  }

  it('takes neither the schema library nor the YAML parser when there is nothing to check', async () => {
    expect(await modules({})).toEqual(['', '']);
    expect(await modules({ SWITCH: '5' })).toEqual(['', containing('zod')]);
  });
});
