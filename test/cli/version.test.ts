import { expect, it } from 'vitest';
import { cli } from './cli.ts';

it('policy check leaves 2 to its answers', async () => {
  expect((await cli(['policy', 'check', '--nonsense', 'ls'])).exitCode).toBe(125);
  expect((await cli(['ls', '--nonsense'])).exitCode).toBe(2);
});

it('version is the one of the package', async () => {
  const { stdout } = await cli(['version', '-o', 'json']);
  expect(JSON.parse(stdout)).toEqual({
    version: '0.1.0',
    node: process.version,
    platform: `${process.platform}-${process.arch}`,
  });
});
