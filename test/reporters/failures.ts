/**
 * Prints each failed try of a test, each failed hook and each file that cannot be loaded at the moment it happens: a run that is
 * canceled, killed or passes at the second try has said why by then.
 */
import { writeSync } from 'node:fs';
import type { RunnerTaskEventPack, RunnerTaskResultPack, SerializedError, TestError } from 'vitest';
import type { Reporter, TestCase, TestModule, TestSuite, Vitest } from 'vitest/node';

const longestError = 12_000;
const longestDiff = 4000;
/** `scripts/steps.ts` keeps the output of a step until its end, and gives it this way past that. */
const descriptor = Number(process.env['CAISSON_TEST_FAILURES_FD'] ?? 1);

export default class Failures implements Reporter {
  #vitest: Vitest | null = null;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  /** The one place where vitest reports a try that another one follows. */
  onTaskUpdate(packs: readonly RunnerTaskResultPack[], events: readonly RunnerTaskEventPack[]): void {
    for (const [id, event] of events) {
      if (event !== 'test-retried') continue;
      const task = this.#vitest?.state.idMap.get(id);
      const result = packs.find(([each]) => each === id)?.[1] ?? task?.result;
      // The last try is reported as the case.
      if (result?.state === 'fail') continue;
      const { errors = [] } = result ?? {};
      say('A TRY FAILED', `${task?.file.name}: ${task?.name}`, errors.slice(-1));
    }
  }

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state === 'failed') say('FAILED', `${test.module.relativeModuleId}: ${test.fullName}`, errors);
  }

  onTestSuiteResult(suite: TestSuite): void {
    say('FAILED', `${suite.module.relativeModuleId}: ${suite.fullName}`, suite.errors());
  }

  onTestModuleEnd(module: TestModule): void {
    say('FAILED', module.relativeModuleId, module.errors());
  }

  onTestRunEnd(_modules: unknown, errors: readonly SerializedError[]): void {
    say('FAILED', 'outside of all tests', errors);
  }
}

function say(what: string, where: string, errors: readonly (SerializedError | TestError)[]): void {
  if (errors.length === 0) return;
  const text = errors.map(explained).join('\n');
  const moment = new Date().toISOString().slice(11, 19);
  writeSync(descriptor, `${what} at ${moment}: ${where}\n${text.slice(0, longestError)}\n\n`);
}

/** Text of an error with its causes, which vitest keeps apart from the stack. */
function explained(error: SerializedError | TestError): string {
  // The first line of the stack of a timeout is a placeholder.
  const frames = error.stack?.match(/^ +at (?!new Promise|.*\/node_modules\/).*/gm) ?? [];
  const diff = 'diff' in error && typeof error.diff === 'string' ? [error.diff.slice(0, longestDiff)] : [];
  const own = [error.message, ...diff, ...frames].join('\n');
  return error.cause === undefined ? own : `${own}\ncaused by ${explained(error.cause)}`;
}
