import { describe, expect, it } from 'vitest';
import { cli } from './cli.ts';

describe('approvals --all', () => {
  it.each(['approve', 'deny'])('%s answers what waits for each task, and prints the ids', async (verb) => {
    const { exitCode, stdout, stderr } = await cli(['approvals', verb, '--all', 'build', 'idle']);
    expect([exitCode, stdout, stderr]).toEqual([0, 'apr_1\n', '']);
  });

  it('names what is left, and exits with 1', async () => {
    const { exitCode, stdout, stderr } = await cli(['approvals', 'approve', '--all', 'build', 'late']);
    expect([exitCode, stdout, stderr]).toEqual([1, 'apr_1\n', expect.stringContaining('apr_2 is not answered: late')]);
    const json = await cli(['approvals', 'approve', '--all', '--json', 'build', 'late']);
    expect([json.exitCode, JSON.parse(json.stdout)]).toEqual([
      1,
      { answered: ['apr_1'], left: [{ id: 'apr_2', why: 'late' }] },
    ]);
  });

  it('is refused together with --always, which is an answer to one question', async () => {
    const { exitCode, stderr } = await cli(['approvals', 'approve', '--all', '--always', 'build']);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining('--all and --always')]);
  });
});
