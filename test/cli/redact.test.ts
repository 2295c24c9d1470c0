import { describe, expect, it } from 'vitest';
import { cli } from './cli.ts';

describe('caisson redact', () => {
  it('writes what it reads without secrets', async () => {
    const { exitCode, stdout } = await cli(['redact', '-e', 'PHRASE'], {
      input: 'DB_PASSWORD=hunter22 and the value of PHRASE\n',
    });
    expect([exitCode, stdout]).toEqual([0, 'DB_PASSWORD=[REDACTED:password] and the [REDACTED:PHRASE]\n']);
  });

  it('counts with --json, and writes nothing else', async () => {
    const { exitCode, stdout } = await cli(['redact', '--json'], { input: 'DB_PASSWORD=hunter22\nDB_PASSWORD=x' });
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ redactions: 2, kinds: { password: 2 } });
  });

  it('passes bytes on as they are', async () => {
    const { stdout } = await cli(['redact'], { input: '\u{1f600} no secret\r\n' });
    expect(stdout).toBe('\u{1f600} no secret\r\n');
  });
});
