import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { commandReference } from '../scripts/reference/commands.ts';
import { configurationReference } from '../scripts/reference/configuration.ts';
import { openapiDocument, routeReference } from '../scripts/reference/http.ts';
import { libraryReference } from '../scripts/reference/library.ts';
import { escaped, withPart } from '../scripts/reference/page.ts';
import { defaults } from './config/known.ts';
import { commands } from '../src/cli/commands.ts';
import { documentOf } from '../src/http/openapi/document.ts';
import { nounOf, routes, table } from '../src/http/table.ts';

const page = (name: string): string => readFileSync(new URL(`../docs/${name}`, import.meta.url), 'utf8');

describe('the reference pages', () => {
  it.each([
    ['configuration.md', configurationReference],
    ['command-line.md', commandReference],
    ['http-api.md', routeReference],
    ['library.md', libraryReference],
  ])('docs/%s is what the code gives (write it anew with `node scripts/reference.ts`)', async (name, part) => {
    expect(page(name)).toBe(withPart(page(name), await part()));
  });

  it('have the document that a service gives, one path a line', () => {
    const document = openapiDocument();
    expect(page('openapi.json')).toBe(document);
    expect(JSON.parse(document)).toEqual(JSON.parse(JSON.stringify(documentOf(routes, nounOf))));
    expect(document.split('\n').length).toBeLessThan(2000);
  });

  it('have every key, with what it takes, its default and a meaning', async () => {
    const text = await configurationReference();
    for (const [section, keys] of Object.entries(defaults))
      for (const [key, value] of Object.entries(keys)) {
        const [, entry = ''] = text.split(`### ${section}.${key}\n`);
        expect(entry, `${section}.${key}`).toMatch(/^\n- Value: \S.*\n- Default: `.+`\n- Variable: \S.*\n\n[^#\n]/);
        expect(entry).toContain(`- Default: \`${JSON.stringify(value)}\``);
      }
  });

  it('have a use of every verb of the library, and of no other', () => {
    expect(() => libraryReference('// run\n{\n  await caisson.run();\n}\n')).toThrow('verbs without a use');
    const uses = libraryReference().match(/^`[\w.]+`$/gm) ?? [];
    expect(uses.toSorted()).toEqual(
      Object.keys(table)
        .map((verb) => `\`${verb}\``)
        .toSorted(),
    );
  });

  it('have every command', async () => {
    const text = await commandReference();
    for (const name of Object.keys(commands)) expect(text).toContain(`### caisson ${name}\n`);
  });

  it('name a variable only for keys that have one', async () => {
    const text = await configurationReference();
    expect(text).toContain('- Variable: `CAISSON_TERMINAL_DOCKER_IMAGE`');
    expect(text).not.toContain('CAISSON_APPROVALS_RULES');
  });

  it('show rules and patterns as they are typed', () => {
    expect(escaped('a * in `terminal(git:*)` <home>')).toBe(String.raw`a \* in ${'`terminal(git:*)`'} \<home>`);
  });

  it('cannot lose their generated part', () => {
    expect(() => withPart('# A page\n', 'text')).toThrow('no generated part');
  });
});
