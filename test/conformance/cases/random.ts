import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { expect } from 'vitest';
import { sh } from '../command.ts';
import type { Suite } from '../suite.ts';

interface Step {
  readonly text: string;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

const octal = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
const nothing = Buffer.alloc(0);

const bytes = fc.uint8Array({ minLength: 1, maxLength: 60 });
const out = bytes.map((chunk): Step => ({
  text: `printf '${octal(chunk)}'`,
  stdout: Buffer.from(chunk),
  stderr: nothing,
}));
const err = bytes.map((chunk): Step => ({
  text: `printf '${octal(chunk)}' >&2`,
  stdout: nothing,
  stderr: Buffer.from(chunk),
}));
const bulk = fc
  .integer({ min: 1, max: 200_000 })
  .map((size): Step => ({ text: `head -c ${size} /dev/zero`, stdout: Buffer.alloc(size), stderr: nothing }));
const quiet = fc
  .constantFrom('true', 'false', ':', 'cat </dev/null', '(exit 3)', 'sh -c "exit 9"', 'X=1')
  .map((text): Step => ({ text, stdout: nothing, stderr: nothing }));

const program = fc.record({
  steps: fc.array(fc.oneof({ weight: 3, arbitrary: out }, { weight: 3, arbitrary: err }, bulk, quiet), {
    maxLength: 6,
  }),
  code: fc.integer({ min: 0, max: 255 }),
});

/** Random commands, judged by what they must print, and on this very host also by a plain child process. */
export function randomCases(suite: Suite): void {
  suite.test(
    'random.commands',
    'runs random commands with exactly the bytes and code they must give',
    async (place) => {
      const sandbox = await place.sandbox();
      const onHost = place.guarantees.isolation === 'none';
      await fc.assert(
        fc.asyncProperty(program, async ({ steps, code }) => {
          const text = [...steps.map((step) => step.text), `exit ${code}`].join('; ');
          const { exitCode, stdout, stderr } = await sh(sandbox, text);
          expect(exitCode).toBe(code);
          expect(stdout.equals(Buffer.concat(steps.map((step) => step.stdout)))).toBe(true);
          expect(stderr.equals(Buffer.concat(steps.map((step) => step.stderr)))).toBe(true);
          if (onHost) expect({ exitCode, stdout, stderr }).toEqual(direct(text));
        }),
        { numRuns: 8 },
      );
    },
  );
}

function direct(text: string): { readonly exitCode: number | null; readonly stdout: Buffer; readonly stderr: Buffer } {
  const { status, stdout, stderr } = spawnSync('sh', ['-c', text], { maxBuffer: 2 ** 26 });
  return { exitCode: status, stdout, stderr };
}
