import { expect, it } from 'vitest';

it('adds', () => {
  expect(19 + 23).toBe(42);
});

it('runs as a command of Caisson', () => {
  expect(process.env['CAISSON_EXEC']).toMatch(/^exec_/);
});
