/** What of a changed file holds without a restart. */
import { expect, it } from 'vitest';
import { collectDefaults, unsectioned } from '../../src/config/defaults.ts';
import { changeOf } from '../../src/config/live.ts';
import type { Config } from '../../src/config/types.ts';

const base: Config = { ...collectDefaults({ usual: 'docker', configs: {} }), ...unsectioned };
const read = (config: Config) => ({ config, origins: {} });

it('rules and owners hold at once, and what the service was opened with needs a restart', () => {
  const found: Config = {
    ...base,
    owners: { alice: { sandboxes: 1 } },
    approvals: { ...base.approvals, timeout: 7, mode: 'smart' },
    server: { ...base.server, port: 1 },
  };
  const { next, changed, needsRestart } = changeOf(read(base), read(found));
  expect(changed.toSorted()).toEqual(['approvals.timeout', 'owners']);
  expect(needsRestart.toSorted()).toEqual(['approvals.mode', 'server.port']);
  expect(next.config.owners).toEqual({ alice: { sandboxes: 1 } });
  expect([next.config.approvals.timeout, next.config.approvals.mode]).toEqual([7, base.approvals.mode]);
  expect(next.config.server.port).toBe(base.server.port);
});

it('limits of the service hold at once', () => {
  const limits = { questions: { total: 9, per_owner: 3 } };
  const { next, changed, needsRestart } = changeOf(
    read(base),
    read({ ...base, server: { ...base.server, port: 1, limits } }),
  );
  expect([changed, needsRestart]).toEqual([['server.limits'], ['server.port']]);
  expect(next.config.server).toEqual({ ...base.server, limits });
});

it('of overrides of tasks the rules hold at once, in the order of the file', () => {
  const now: Config = { ...base, tasks: { a: { timeout: 1, rules: { deny: ['terminal(make)'] } } } };
  const found: Config = {
    ...base,
    tasks: { b: { tool_mode: 'plan' }, a: { timeout: 2, rules: { ask: ['terminal(make)'] } } },
  };
  const { next, changed, needsRestart } = changeOf(read(now), read(found));
  expect([changed, needsRestart]).toEqual([['tasks'], ['tasks']]);
  expect(Object.entries(next.config.tasks)).toEqual([
    ['b', { tool_mode: 'plan' }],
    ['a', { timeout: 1, rules: { ask: ['terminal(make)'] } }],
  ]);
});

it('the same file changes nothing', () => {
  expect(changeOf(read(base), read({ ...base }))).toMatchObject({ changed: [], needsRestart: [] });
});
