import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.ts';
import { testFiles } from './test/projects.ts';
import { inTurn } from './test/turns.ts';

const { unit, processes, conformance, e2e, live } = await testFiles(fileURLToPath(new URL('.', import.meta.url)));

const turn = process.env['CAISSON_TEST_TURN'];
const seed = turn === undefined ? undefined : Number(turn);

const each = { setupFiles: ['test/keep-compiled.ts'] };
/**
 * A second try is for CI alone, and `test/reporters/flaky.ts` reports it: a machine whose clock steps is not a defect. Nor is one
 * that is slow now and then: the limits find what hangs, and benches what is slow.
 */
const real = {
  ...each,
  retry: process.env['CI'] === 'true' ? 1 : 0,
  testTimeout: 60_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 10_000 } },
};
/**
 * These files follow one another in a process that has loaded the sources: to load them takes as long as the tests of most files. What a
 * file changes in its process it puts back.
 */
const unitTests = { ...real, include: unit, isolate: false };
const engines = { globalSetup: ['test/engines/setup.ts'] };

export default defineConfig({
  test: {
    pool: 'forks',
    globalSetup: ['test/scratch.ts'],
    sequence: { sequencer: LongestFirst },
    // Node loads the sources by itself, as it does outside of tests, and keeps what it compiled for the next file.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Tests of real places mostly wait for them.
    maxWorkers: Number(process.env['CAISSON_TEST_WORKERS'] ?? 2 * availableParallelism()),
    projects: [
      { test: { name: 'unit', ...unitTests } },
      { test: { name: 'processes', include: inTurn(processes, seed), ...real } },
      { test: { name: 'conformance', include: conformance, ...real, ...engines } },
      { test: { name: 'e2e', include: inTurn(e2e, seed), ...real, ...engines } },
      { test: { name: 'live', include: live, ...real } },
    ],
  },
});
