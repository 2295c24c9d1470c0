/** What a run prints of failures while it goes on: all that is left of one that is canceled. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../fixtures/failing', import.meta.url));
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));

it(
  'prints each failed try, hook and test with its causes at once, while the run goes on',
  { timeout: 60_000 },
  async () => {
    const env = { ...process.env, CAISSON_TEST_FAILURES_FD: '1' };
    const child = spawn(process.execPath, [vitest, 'run', '--root', root], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await expect.poll(() => text, { timeout: 40_000 }).toContain('the hook failed');
    expect(text).toMatch(/^A TRY FAILED at [\d:]+: .*cases\.case\.ts: passes at its second try\n.*only one try yet/m);
    expect(text).toMatch(
      /^FAILED at [\d:]+: .*cases\.case\.ts: fails\n.*the outer failure[^]*caused by .*the inner one/m,
    );
    child.kill('SIGINT');
    await once(child, 'close');
  },
);
