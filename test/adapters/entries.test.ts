/** Entries of the package load where no framework is installed, and refuse what is not the module that they need. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Caisson } from '../../src/adapters/api.ts';
import { importsOf } from '../architecture/imports.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const frameworks = ['deepagents', 'ai', '@ai-sdk/provider-utils', '@openai/agents'];
const { exports } = Object(JSON.parse(readFileSync(`${root}package.json`, 'utf8')));
const names = Object.keys(exports)
  .filter((name) => name.startsWith('./adapters/'))
  .map((name) => name.slice('./adapters/'.length));

/** Nothing is asked of it before the module of the framework was looked at. */
const caisson: Caisson = Object.create(null);

describe('the entries of adapters', () => {
  it('are these, in a checkout without any of the frameworks', () => {
    expect(names.toSorted()).toEqual(['ai', 'deepagents', 'openai-agents']);
    expect(frameworks.filter((name) => existsSync(`${root}node_modules/${name}`))).toEqual([]);
  });

  it.each(names)('%s loads, and has make', async (name) => {
    const loaded: unknown = await import(`../../src/adapters/${name}.ts`);
    expect(loaded).toMatchObject({ make: expect.any(Function) });
  });

  it('import nothing of a package, not even a type', () => {
    const files = globSync('src/adapters/**/*.ts', { cwd: root });
    const specifiers = files.flatMap((file) =>
      importsOf(file, readFileSync(root + file, 'utf8')).map(({ specifier }) => specifier ?? ''),
    );
    expect(files.length).toBeGreaterThan(10);
    expect(specifiers.filter((specifier) => !specifier.startsWith('.'))).toEqual([]);
  });

  it.each([
    ['ai', /generateText, tool of ai/],
    ['deepagents', /BaseSandbox of deepagents/],
    ['openai-agents', /applyDiff, cloneManifest, Manifest, WorkspacePathPolicy of @openai\/agents/],
  ])('%s names what a module lacks', async (name, message) => {
    const { make } = await import(`../../src/adapters/${name}.ts`);
    await expect((async () => await make({}, caisson))()).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(message),
    });
  });
});
