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
    expect(all.map((one) => one.reference)).toEqual([
      'caisson/base:latest',
      'caisson/dev:latest',
      'caisson/small:latest',
    ]);
    expect(all.every((one) => one.about.length > 10 && /^[0-9a-f]{16}$/.test(one.hash))).toBe(true);
  });

  it('are found by reference too, and an unknown one names those that exist', async () => {
    expect((await recipe('caisson/base:latest')).name).toBe('base');
    const refusal = await recipe('../base').catch((error: unknown) => error);
    expect(isCode(refusal, 'not_found') && refusal.remedy).toContain('base, dev, small');
  });

  it('stand on their parents: packages and files of every layer are in', async () => {
    const base = await recipe('base');
    const dev = await recipe('dev');
    expect(base.packages).toEqual(expect.arrayContaining(['python3-pip', 'python3-venv']));
    expect(dev.packages).toEqual(expect.arrayContaining([...base.packages, 'build-essential', 'nano', 'vim-tiny']));
    expect(dev.layers).toEqual([...base.layers, join(base.layers[0] ?? '', '..', 'dev')]);
    expect(dev.env).toMatchObject(base.env);
    expect(dev.hash).not.toBe(base.hash);
    expect([base.node, base.variant, dev.variant, (await recipe('small')).variant]).toEqual([
      null,
      'minbase',
      'minbase',
      'extract',
    ]);
  });

  it('declare the same environment as their Dockerfiles, whose parents are the recipes they stand on', async () => {
    for (const one of await recipes()) {
      const declared = await Promise.all(one.layers.map(declaredEnv));
      expect(Object.assign({}, ...declared)).toEqual(one.env);
    }
    const { layers, node } = await recipe('dev');
    const text = await readFile(join(layers.at(-1) ?? '', 'Dockerfile'), 'utf8');
    expect(text).toContain(`ARG BASE=${(await recipe('base')).reference}`);
    expect(text).toContain(`ARG NODE=node:${node?.node}-bookworm-slim`);
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
