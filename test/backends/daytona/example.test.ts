import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { startDaytonaHere, whyNoDaytona } from '../../engines/daytona.ts';

const why = whyNoDaytona();
const emulator = why === null ? await startDaytonaHere() : null;
afterAll(() => emulator?.close());

it.skipIf(why !== null)(
  'a program with the official SDK alone runs against the emulator',
  { timeout: 60_000 },
  async () => {
    const program = fileURLToPath(new URL('../../../examples/daytona-sdk/main.ts', import.meta.url));
    const env = { PATH: process.env['PATH'], HOME: '/nonexistent', ...emulator?.environment };
    const { stdout } = await promisify(execFile)(process.execPath, [program], { env, cwd: '/' });
    expect(stdout.split('\n').slice(0, 2)).toEqual(['3 from /root', 'kept']);
    expect(stdout.replaceAll('\n', ' ')).toContain('1 2 3');
    expect(stdout.trim().endsWith('started')).toBe(true);
    await expect.poll(() => emulator?.count(), { timeout: 20_000 }).toBe(0);
  },
);
