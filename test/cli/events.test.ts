import { describe, expect, it } from 'vitest';
import { cli } from './cli.ts';

describe('events', () => {
  it('shows those of one task', async () => {
    expect((await cli(['events', '--task', 'build'])).stdout).toContain('sandbox.state');
    expect((await cli(['events', '--task', 'other'])).stdout).toBe('');
  });

  it('are one line each: number, time, what, from where to where, by whom and why', async () => {
    const { stdout, exitCode } = await cli(['events']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatchInlineSnapshot(`
      "1  2026-01-02T11:00:00.000Z  exec.ended         build exec_\\x1b[2J  3  tok_1
      2  2026-01-02T11:00:00.000Z  sandbox.state      build  ready -> stopping  sweeper (idle)
      "
    `);
  });

  it('are one JSON object a line for programs, after the number that was given', async () => {
    const lines = (await cli(['events', '--after', '1', '-o', 'json'])).stdout.trimEnd().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { seq: 2, type: 'sandbox.state', author: 'sweeper', reason: 'idle', data: { taskId: 'build' } },
    ]);
  });

  it('begin after a number, and nothing else', async () => {
    const { exitCode, stderr } = await cli(['events', '--after', 'yesterday']);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('--after');
  });
});
