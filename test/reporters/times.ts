/** Writes how long each file and each case took to the file that `CAISSON_TEST_TIMES` names; `scripts/tests.ts` reads it. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type { Counts } from '../counts.ts';
import { titleOf } from '../titles.ts';

export interface CaseTime {
  readonly project: string;
  readonly file: string;
  /** The titles from the outermost `describe` to the case, joined by ` > `. */
  readonly name: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  readonly durationMs: number;
  /** What the case reported; absent: nothing. */
  readonly counts?: readonly Counts[];
}

export interface FileTime {
  readonly project: string;
  readonly file: string;
  readonly title: string;
  /** From the start of its process to its last hook, imports included. */
  readonly durationMs: number;
  /** It failed outside of its cases. */
  readonly broken: boolean;
}

export interface RunTimes {
  readonly files: readonly FileTime[];
  readonly cases: readonly CaseTime[];
}

export default class Times implements Reporter {
  readonly #files: FileTime[] = [];
  readonly #cases: CaseTime[] = [];

  onTestCaseResult(test: TestCase): void {
    const { state } = test.result();
    if (state === 'pending') return;
    const { project, module, fullName: name } = test;
    const durationMs = Math.round(test.diagnostic()?.duration ?? 0);
    const { counts } = test.meta();
    this.#cases.push({
      project: project.name,
      file: module.relativeModuleId,
      name,
      state,
      durationMs,
      ...(counts === undefined ? {} : { counts }),
    });
  }

  onTestModuleEnd(module: TestModule): void {
    const { collectDuration, duration, environmentSetupDuration, prepareDuration, setupDuration } = module.diagnostic();
    const durationMs = Math.round(
      collectDuration + duration + environmentSetupDuration + prepareDuration + setupDuration,
    );
    const broken = module.errors().length > 0;
    const title = titleOf(module.moduleId, readFileSync(module.moduleId, 'utf8'));
    this.#files.push({ project: module.project.name, file: module.relativeModuleId, title, durationMs, broken });
  }

  onTestRunEnd(): void {
    const path = process.env['CAISSON_TEST_TIMES'];
    const times: RunTimes = { files: this.#files, cases: this.#cases };
    if (path) writeFileSync(path, JSON.stringify(times));
  }
}
