/**
 * Types what README and the pages of docs/ show, line by line and in their order, and compares what is printed. What needs a cluster is
 * typed by kubernetes.test.ts.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { holdBaseImage } from './base-image.ts';
import { makeHome } from './home.ts';
import { compared, pageOf, typedIn } from './typed.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const names = [
  'README.md',
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' }).map((name) => `docs/${name}`),
];
const pages = names
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, page: pageOf(readFileSync(root + name, 'utf8')) }));

const here = pages.filter(({ name, page }) => page.typed.length > 0 && name !== 'docs/kubernetes.md');

describe('pages with console blocks', () => {
  // The image that `caisson image build base` builds from Debian packages; what is typed needs its shell alone.
  let held: AsyncDisposable;
  beforeAll(async () => {
    held = await holdBaseImage('caisson-test/debian:latest');
  }, 600_000);
  afterAll(() => held[Symbol.asyncDispose]());

  it.each(here)(
    '$name is true when it is typed in a fresh home',
    async ({ page: { typed } }) => {
      await using home = await makeHome();
      const { seen, wanted } = await typedIn(home, typed);
      expect(seen).toEqual(wanted);
    },
    400_000,
  );

  it('are typed, or say why not', () => {
    expect(pages.flatMap(({ name, page }) => page.unmarked.map((body) => `${name}: ${body}`))).toEqual([]);
    expect(pages.flatMap(({ page }) => page.left).length).toBeLessThanOrEqual(5);
    expect(pages.flatMap(({ page }) => page.typed).length).toBeGreaterThan(35);
  });

  it('are compared strictly but for placeholders', () => {
    const same = (printed: string, shown: string): boolean => {
      const { seen, wanted } = compared(printed, shown);
      return seen === wanted;
    };
    expect(same('a\nb\n', 'a')).toBe(false);
    expect(same('', 'a')).toBe(false);
    expect(same('in /tmp/x', 'in ...')).toBe(true);
    expect(same('at /tmp/x', 'in ...')).toBe(false);
    expect(same('a\nb\nc\n', 'a\n...\nc')).toBe(true);
    expect(same('a\nb\n', 'a\n...\nc')).toBe(false);
    expect(same('took 3 ms', 'took 78 ms')).toBe(true);
  });
});
