/** The types of frameworks and adapters, compared by the compiler in a project that has them. */
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isInstalled } from '../../engines/installed.ts';
import { checkout } from '../packed.ts';
import { type FrameworkProject, frameworkProject } from './project.ts';

/** What docs/agents.md shows. */
const shown = [...readFileSync(join(checkout, 'docs/agents.md'), 'utf8').matchAll(/```ts\n([^`]+)```/g)].map(
  ([, text = '']) => text,
);

it('the page shows each framework in at most ten lines', () => {
  expect(shown).toHaveLength(3);
  for (const text of shown) expect(text.split('\n').filter(Boolean).length).toBeLessThanOrEqual(10);
});

describe.skipIf(!isInstalled('adapters'))('types', () => {
  let project: FrameworkProject;
  beforeAll(() => void (project = frameworkProject()));
  afterAll(() => project[Symbol.dispose]());

  const tsc = async (): Promise<string> =>
    await promisify(execFile)(process.execPath, [
      join(checkout, 'node_modules/typescript/bin/tsc'),
      '-p',
      project.path,
    ]).then(
      ({ stdout }) => stdout,
      (error: unknown) => String(Reflect.get(Object(error), 'stdout')),
    );

  it('of frameworks and adapters fit both ways, and examples and page compile', async () => {
    const options = {
      paths: {},
      rootDir: '/',
      allowImportingTsExtensions: true,
      rewriteRelativeImportExtensions: false,
      noUnusedLocals: false,
      typeRoots: [join(checkout, 'node_modules/@types')],
    };
    const config = { extends: join(checkout, 'tsconfig.json'), compilerOptions: options };
    const include = { include: ['*.mts', 'agents/*.ts'], exclude: ['node_modules'] };
    writeFileSync(join(project.path, 'tsconfig.json'), JSON.stringify({ ...config, ...include }));
    for (const [at, text] of shown.entries()) writeFileSync(join(project.path, `shown-${at}.mts`), text);
    writeFileSync(
      join(project.path, 'wrong.mts'),
      `import type { SandboxBackendProtocolV2 } from 'deepagents';
       import type { AiSandbox } from 'caisson/adapters/ai';
       export const wrong = (sandbox: AiSandbox): SandboxBackendProtocolV2 => sandbox;`,
    );
    const found = (await tsc()).split('\n').filter((line) => /error TS/.test(line));
    expect(found).toEqual([expect.stringMatching(/wrong\.mts\(3,.*error TS/)]);
  }, 180_000);
});
