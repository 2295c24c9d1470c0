import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { recipe, recipes } from '../../images/builder/recipes.ts';
import { isCode } from '../../src/errors.ts';

/** `ENV A=b C=d` lines of a Dockerfile. */
async function declaredEnv(layer: string): Promise<Record<string, string>> {
  const text = await readFile(join(layer, 'Dockerfile'), 'utf8');
  const pairs = [...text.matchAll(/^ENV (.+)$/gm)].flatMap(([, words = '']) =>
    words.split(' ').map((word) => word.split('=')),
  );
  return Object.fromEntries(pairs.map(([name = '', value = '']) => [name, value]));
}

describe('image recipes', () => {
  it('are there by name, each with a reference and a line for people', async () => {
    const all = await recipes();
    expect(all.map((one) => one.reference)).toEqual(['caisson/base:latest', 'caisson/python-node:latest']);
    expect(all.every((one) => one.about.length > 10 && /^[0-9a-f]{16}$/.test(one.hash))).toBe(true);
  });

  it('are found by reference too, and an unknown one names those that exist', async () => {
    expect((await recipe('caisson/base:latest')).name).toBe('base');
    const refusal = await recipe('../base').catch((error: unknown) => error);
    expect(isCode(refusal, 'not_found') && refusal.remedy).toContain('python-node');
  });

  it('stand on their parents: packages and files of every layer are in', async () => {
    const [base, node] = [await recipe('base'), await recipe('python-node')];
    expect(node.packages).toEqual(expect.arrayContaining([...base.packages, 'npm', 'python3-venv']));
    expect(node.layers).toEqual([...base.layers, join(base.layers[0] ?? '', '..', 'python-node')]);
    expect(node.env).toMatchObject(base.env);
    expect(node.hash).not.toBe(base.hash);
  });

  it('declare the same environment as their Dockerfiles, whose parents are the recipes they stand on', async () => {
    for (const one of await recipes()) {
      const declared = await Promise.all(one.layers.map(declaredEnv));
      expect(Object.assign({}, ...declared)).toEqual(one.env);
    }
    const layer = (await recipe('python-node')).layers.at(-1) ?? '';
    expect(await readFile(join(layer, 'Dockerfile'), 'utf8')).toContain(`ARG BASE=${(await recipe('base')).reference}`);
  });

  it('leave nothing to an image file that a sandbox must not have', async () => {
    for (const one of await recipes()) {
      for (const layer of one.layers) {
        const text = await readFile(join(layer, 'Dockerfile'), 'utf8');
        expect(text).not.toMatch(/^\s*(USER|VOLUME|ENTRYPOINT|HEALTHCHECK|EXPOSE|ADD|ONBUILD)\b/m);
        await access(join(layer, 'README.md'));
      }
    }
  });
});
