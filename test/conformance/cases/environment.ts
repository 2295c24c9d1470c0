import fc from 'fast-check';
import { expect } from 'vitest';
import type { Sandbox } from '../../../src/backend.ts';
import { run } from '../command.ts';
import { leakName, leakValue } from '../place.ts';
import type { Suite } from '../suite.ts';

const nasty: Readonly<Record<string, string>> = {
  EMPTY: '',
  SPACES: '  a  b ',
  LINES: 'one\ntwo\n',
  QUOTES: `'"\\\``,
  SHELL_TEXT: '$(id) ${HOME} `id` ; rm -rf "$HOME"',
  EQUALS: 'a=b=c',
  UNICODE: 'é 日本語 🦊',
  CONTROL: '\u0001\u001b[31m\u007f',
  lower_case: 'kept',
  _: 'underscore',
  X9: '9',
  PS4: '$(id)',
  IFS: 'x',
};

export function environmentCases(suite: Suite): void {
  suite.test('environment.exact', 'gives a command exactly the values that were asked for', async (place) => {
    expect(await environment(await place.sandbox(), nasty)).toMatchObject(nasty);
  });

  suite.test('environment.replaced', 'replaces a value that the place sets by itself', async (place) => {
    const sandbox = await place.sandbox();
    const { PATH } = await environment(sandbox, {});
    const wanted = { PATH: `/conformance:${PATH ?? ''}`, HOME: '/conformance home' };
    expect(await environment(sandbox, wanted)).toMatchObject(wanted);
  });

  suite.test('environment.path', 'has a PATH without being asked', async (place) => {
    expect((await environment(await place.sandbox(), {}))['PATH']).toContain('/bin');
  });

  suite.test('environment.no-leak', 'hands nothing of the service to a command (EN-01)', async (place) => {
    expect(process.env[leakName]).toBe(leakValue);
    const seen = await environment(await place.sandbox(), { CAISSON_EXEC: 'leak' });
    expect(Object.keys(seen)).not.toContain(leakName);
    expect(Object.values(seen).join('\n')).not.toContain(leakValue);
    expect(Object.keys(seen)).not.toContain('NODE_ENV');
    expect(Object.keys(seen).filter((name) => /VITEST|NODE_OPTIONS|npm_/.test(name))).toEqual([]);
  });

  suite.test('environment.apart', 'keeps the values of one command away from the next', async (place) => {
    const sandbox = await place.sandbox();
    await environment(sandbox, { CONFORMANCE_ONCE: 'x' });
    expect(Object.keys(await environment(sandbox, {}))).not.toContain('CONFORMANCE_ONCE');
  });

  suite.test('environment.long', 'passes a value of 100 KB', async (place) => {
    const LONG = 'é'.repeat(50_000);
    expect((await environment(await place.sandbox(), { LONG }))['LONG']).toBe(LONG);
  });

  suite.test('environment.property', 'passes any values without NUL', async (place) => {
    const sandbox = await place.sandbox();
    const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/).map((text) => `P_${text}`);
    const value = fc.string({ unit: 'grapheme', maxLength: 60 }).filter((text) => !text.includes('\0'));
    await fc.assert(
      fc.asyncProperty(fc.dictionary(name, value, { maxKeys: 6, noNullPrototype: true }), async (env) => {
        expect(await environment(sandbox, env)).toMatchObject(env);
      }),
      { numRuns: 6 },
    );
  });
}

async function environment(
  sandbox: Sandbox,
  env: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  const { exitCode, stdout } = await run(sandbox, ['/bin/cat', '/proc/self/environ'], { env });
  expect(exitCode).toBe(0);
  const entries = stdout.toString('utf8').split('\0').slice(0, -1);
  return Object.fromEntries(
    entries.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
  );
}
