import fc from 'fast-check';
import { expect } from 'vitest';
import type { Sandbox } from '../../../src/backend.ts';
import { CaissonError } from '../../../src/errors.ts';
import { expectNotStarted, run, sh } from '../command.ts';
import type { Suite } from '../suite.ts';

const nasty = [
  '',
  ' ',
  '  two  spaces ',
  '-',
  '--',
  '-n',
  '-e',
  '--help',
  '*',
  '?',
  '[a]',
  '~',
  '$HOME',
  '${HOME}',
  '$(id)',
  '`id`',
  '!!',
  '#',
  ';',
  '&',
  '|',
  '>',
  "'",
  '"',
  '\\',
  '\\n',
  "it's",
  '"quoted"',
  'a\nb',
  '\n',
  '\t',
  '\r\n',
  '\u0001',
  '\u007f',
  'é',
  'e\u0301',
  '日本語',
  '🦊',
  '\u202e',
  '%s',
  '%%',
  '=',
  'A=b',
  '{a,b}',
];

export function argumentCases(suite: Suite): void {
  suite.test(
    'arguments.exact',
    'passes arguments as they are: spaces, quotes, newlines, empty, dashes, UTF-8',
    async (place) => {
      expect(await echoed(await place.sandbox(), nasty)).toEqual(nasty);
    },
  );

  suite.test('arguments.long', 'passes an argument of 100 KB, and ten of them', async (place) => {
    const long = Array.from({ length: 10 }, (_, index) => String(index).repeat(100_000));
    expect(await echoed(await place.sandbox(), long)).toEqual(long);
  });

  suite.test('arguments.too-long', 'refuses an argument that the kernel cannot take', async (place) => {
    const ran = await run(await place.sandbox(), ['sh', '-c', 'echo ran', 'x'.repeat(300_000)]).catch(refusedError);
    expect([126, 'invalid_argument']).toContain(ran instanceof CaissonError ? ran.code : ran.exitCode);
    if (!(ran instanceof CaissonError)) expect(ran.stdout.toString()).not.toContain('ran');
  });

  suite.test('arguments.no-shell', 'never reads arguments as shell text', async (place) => {
    const { stdout } = await run(await place.sandbox(), ['echo', '$HOME', '*', ';', 'id']);
    expect(stdout.toString()).toBe('$HOME * ; id\n');
  });

  suite.test('arguments.property', 'passes any text without NUL', async (place) => {
    const sandbox = await place.sandbox();
    const words = fc.array(
      fc.string({ unit: 'grapheme', maxLength: 40 }).filter((word) => !word.includes('\0')),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(words, async (sent) => {
        expect(await echoed(sandbox, sent)).toEqual(sent);
      }),
      { numRuns: 6 },
    );
  });

  suite.test('arguments.no-program', 'reports a missing program as exit 127 and writes nothing', async (place) => {
    const sandbox = await place.sandbox();
    await expectNotStarted(run(sandbox, ['conformance-no-such-program']), 'not-found');
    await expectNotStarted(run(sandbox, ['/conformance/no/such/program']), 'not-found');
  });

  suite.test(
    'arguments.not-executable',
    'reports a file or directory that is not executable as exit 126 and writes nothing',
    async (place) => {
      const sandbox = await place.sandbox();
      const file = `/tmp/conformance-${place.instance}-plain`;
      await sh(sandbox, `echo 'echo ran' >${file}; chmod 644 ${file}`);
      await expectNotStarted(run(sandbox, [file]), 'not-executable');
      await expectNotStarted(run(sandbox, ['/']), 'not-executable');
      await sh(sandbox, `rm ${file}`);
    },
  );

  suite.test('arguments.script', 'runs a file that is executable, by its own first line', async (place) => {
    const sandbox = await place.sandbox();
    const file = `/tmp/conformance ${place.instance} script`;
    await sh(sandbox, 'printf "#!/bin/sh\\necho \\"ran \\$1\\"; exit 3\\n" >"$F"; chmod 755 "$F"', {
      env: { F: file },
    });
    const { exitCode, stdout } = await run(sandbox, [file, 'a b']);
    expect({ exitCode, text: stdout.toString() }).toEqual({ exitCode: 3, text: 'ran a b\n' });
    await run(sandbox, ['rm', file]);
  });
}

async function echoed(sandbox: Sandbox, words: readonly string[]): Promise<readonly string[]> {
  const { exitCode, stdout } = await run(sandbox, [
    'sh',
    '-c',
    'for word; do printf "%s\\000" "$word"; done',
    'sh',
    ...words,
  ]);
  expect(exitCode).toBe(0);
  return stdout.toString('utf8').split('\0').slice(0, -1);
}

function refusedError(error: unknown): CaissonError {
  if (error instanceof CaissonError) return error;
  throw error;
}
