import { describe, expect, it } from 'vitest';
import { newHome } from './home.ts';

describe('sizes and times with a unit', () => {
  it('are numbers of the unit of their key, in the file and its tasks', async () => {
    await using home = await newHome();
    const config =
      'terminal: {timeout: 5m, lifetime_seconds: 1.5h, container_memory: 2g, container_disk: 10GiB}\n' +
      'approvals: {timeout: 90s}\nexec: {output_bytes: 64k}\ntasks: {build: {container_memory: 512m, timeout: 250ms}}\n';
    const loaded = await home.load({ config });
    expect(loaded.config.terminal).toMatchObject({
      timeout: 300,
      lifetime_seconds: 5400,
      container_memory: 2048,
      container_disk: 10_240,
    });
    expect([loaded.config.approvals.timeout, loaded.config.exec.output_bytes]).toEqual([90, 65_536]);
    expect(loaded.forTask('build').terminal).toMatchObject({ container_memory: 512, timeout: 0.25 });
    expect(loaded.origins['terminal.timeout']).toMatch(/^file .*:1$/);
  });

  it('are taken from switches and flags, beside bare numbers', async () => {
    await using home = await newHome();
    const env = { CAISSON_TERMINAL_TIMEOUT: '2m', CAISSON_TERMINAL_CONTAINER_MEMORY: '512' };
    const { config } = await home.load({ env, flags: { terminal: { container_disk: '1t' } } });
    expect(config.terminal).toMatchObject({ timeout: 120, container_memory: 512, container_disk: 2 ** 20 });
  });

  it.each([
    ['timeout: 5x', 'seconds above 0, a time such as 5m, or null'],
    ['timeout: 5g', 'a time such as 5m'],
    ['container_memory: 512k', 'whole megabytes from 6 on'],
    ['container_memory: 2m', 'whole megabytes from 6 on, a size such as 2g'],
    ['container_pids: 5m', 'a whole number'],
  ])('that mean nothing are reported with what was expected: %s', async (line, expected) => {
    await using home = await newHome();
    await expect(home.load({ config: `terminal: {${line}}\n` })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(expected),
    });
  });
});
