import { expect, it } from 'vitest';
import { poolCheck } from '../../src/cli/pool.ts';
import type { PoolView } from '../../src/service/api.ts';

const web: PoolView = { entry: 'web', backend: 'docker', image: null, size: 3, ready: 2, making: 1, error: null };

it('says nothing of a pool that is not configured', () => {
  expect(poolCheck([])).toBeNull();
});

it('counts what stands ready of all entries', () => {
  const check = poolCheck([web, { ...web, entry: 'python', size: 1, ready: 1, making: 0 }]);
  expect(check).toMatchObject({ status: 'ready', remedy: null, findings: [] });
  expect(check?.summary).toBe('3 of 4 sandboxes stand ready, 1 being made');
});

it('says how a pool is filled in which nothing stands', () => {
  expect(poolCheck([{ ...web, ready: 0, making: 0 }])?.remedy).toContain('caisson pool fill');
});

it('warns of an entry that could not be filled, with the reason', () => {
  const check = poolCheck([{ ...web, error: 'the engine is down' }]);
  expect(check?.status).toBe('ready');
  expect(check?.findings).toEqual([
    {
      severity: 'warning',
      id: 'web',
      message: '2 of 3 stand ready, and the last one could not be made: the engine is down',
      remedy: 'correct pool.entries.web, or what it needs',
    },
  ]);
});
