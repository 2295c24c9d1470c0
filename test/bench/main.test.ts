import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { benches } from '../../bench/cases/index.ts';

const execute = promisify(execFile);
const main = fileURLToPath(new URL('../../bench/main.ts', import.meta.url));
const keys = ['bench', 'figure', 'unit', 'ours', 'baseline', 'ratio', 'target', 'ok', 'n'];

describe('the bench command', () => {
  it('prints one JSON object a line, and nothing else', { timeout: 60_000 }, async () => {
    const { stdout } = await execute(process.execPath, [main, 'cli', '--quick', '--json']);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) expect(Object.keys(line ?? {})).toEqual(keys);
    expect(lines[0]).toMatchObject({ bench: 'cli', unit: 'ms', target: 'ratio <= 1.3' });
  });

  it('refuses a name that it does not have, and says which there are', async () => {
    const failure: unknown = await execute(process.execPath, [main, 'nonsense']).catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('exec, lanes, journal, cold, pool, starts, networks, output'),
    });
  });

  it('knows every bench by one name', () => {
    expect(new Set(benches.map((bench) => bench.name)).size).toBe(benches.length);
    expect(benches.every((bench) => bench.about !== '')).toBe(true);
  });
});
