/**
 * Tells at the end of a run which tests were skipped, and why. In CI, where engines are required, a skip without a
 * reason fails the run: it would pass for a success.
 */
import type { Reporter, TestCase } from 'vitest/node';
import { enginesRequired } from '../engines/places.ts';

export default class Skips implements Reporter {
  readonly #named = new Map<string, number>();
  readonly #unnamed: string[] = [];

  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    if (result.state !== 'skipped') return;
    if (result.note === undefined) this.#unnamed.push(`${test.module.relativeModuleId}: ${test.fullName}`);
    else this.#named.set(result.note, (this.#named.get(result.note) ?? 0) + 1);
  }

  onTestRunEnd(): void {
    for (const [reason, count] of this.#named) console.log(`SKIPPED ${count}: ${reason}`);
    for (const test of this.#unnamed) console.log(`SKIPPED without a reason: ${test}`);
    if (enginesRequired() && this.#unnamed.length > 0) process.exitCode = 1;
  }
}
