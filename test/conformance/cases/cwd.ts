import { expect } from 'vitest';
import type { Sandbox } from '../../../src/backend.ts';
import { isCode } from '../../../src/errors.ts';
import { run, sh, start } from '../command.ts';
import type { Suite } from '../suite.ts';

export function cwdCases(suite: Suite): void {
  suite.test('cwd.default', 'has the directory that the spec names', async (place) => {
    const { cwd } = place.subject.spec;
    expect((await run(await place.sandbox(), ['pwd'], { cwd })).stdout.toString()).toBe(`${cwd}\n`);
  });

  suite.test(
    'cwd.exact',
    'starts in any directory, whatever its name: spaces, quotes, newlines, UTF-8',
    async (place) => {
      const sandbox = await place.sandbox();
      const base = `/tmp/conformance-${place.instance}`;
      const names = ['plain', 'two  spaces', "it's", '"q"', '$(id)', '-n', 'a\nb', '日本語 🦊', ';id', '*'];
      const directories = names.map((name) => `${base}/${name}`);
      expect((await run(sandbox, ['mkdir', '-p', ...directories])).exitCode).toBe(0);
      for (const cwd of directories)
        expect((await run(sandbox, ['sh', '-c', 'pwd -P'], { cwd })).stdout.toString()).toBe(`${cwd}\n`);
      await run(sandbox, ['rm', '-rf', base]);
    },
  );

  suite.test(
    'cwd.missing',
    'refuses a working directory that is not there, runs nothing, and does not make it',
    async (place) => {
      const sandbox = await place.sandbox();
      const base = `/tmp/conformance-${place.instance}-missing`;
      try {
        await expectRefused(sandbox, `${base}/deeper`);
        expect((await sh(sandbox, `[ -e ${base} ]`)).exitCode).toBe(1);
      } finally {
        await sh(sandbox, `rm -rf ${base}`);
      }
    },
  );

  suite.test('cwd.file', 'refuses a working directory that is a file, and runs nothing', async (place) => {
    await expectRefused(await place.sandbox(), '/etc/passwd');
  });
}

async function expectRefused(sandbox: Sandbox, cwd: string): Promise<void> {
  await expect(start(sandbox, ['sh', '-c', 'echo ran'], { cwd })).rejects.toSatisfy((error: unknown) =>
    isCode(error, 'invalid_argument'),
  );
}
