/** One run of vitest over some of its projects: its outcome, how long each file and case took, and its JSON report. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunTimes } from '../test/reporters/times.ts';
import { type Outcome, runStep, type Tally } from './steps.ts';
import { readTimes } from './times/read.ts';

export type Project = 'unit' | 'processes' | 'conformance' | 'e2e' | 'live';

export interface TestsInput {
  readonly name: string;
  readonly projects: readonly Project[];
  /** Paths, or parts of them; absent: all files of the projects. */
  readonly files?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The output goes to the terminal as it comes, and is not kept. */
  readonly live: boolean;
}

export interface TestsOutcome extends Outcome {
  readonly times: RunTimes;
  /** What vitest's JSON reporter wrote; `null` when it wrote nothing. */
  readonly report: unknown;
}

const reporters = ['skips', 'flaky', 'failures', 'times'].map((name) => `--reporter=./test/reporters/${name}.ts`);

/** What failed outside of any test counts as one failure. */
export async function runTests({ name, projects, files = [], env = {}, live }: TestsInput): Promise<TestsOutcome> {
  const directory = mkdtempSync(join(tmpdir(), 'caisson-report-'));
  const [path, timesPath] = [join(directory, 'report.json'), join(directory, 'times.json')];
  // Without a terminal, a dot a test is enough beside what failed.
  const shown = [live ? '--reporter=default' : '--reporter=dot', ...reporters];
  const json = ['--reporter=json', `--outputFile.json=${path}`];
  const chosen = projects.flatMap((project) => ['--project', project]);
  try {
    const outcome = await runStep(
      {
        name,
        command: ['vitest', 'run', '--passWithNoTests', ...shown, ...json, ...chosen, ...files],
        env: { ...env, CAISSON_TEST_TIMES: timesPath, CAISSON_TEST_FAILURES_FD: '3' },
      },
      { live },
    );
    const times = timesIn(timesPath);
    return { ...outcome, report: read(path), times, tally: tallyOf(times, outcome.ok) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The counts of one project in a run of several. */
export function tallyIn({ cases, files }: RunTimes, project: Project): Tally {
  const broken = files.some((file) => file.project === project && file.broken);
  return tallyOf({ files: [], cases: cases.filter((each) => each.project === project) }, !broken);
}

/** `null`: vitest did not get as far as a report; its exit code tells. */
function read(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

/** None where vitest was ended before it wrote them. */
function timesIn(path: string): RunTimes {
  return existsSync(path) ? readTimes(path) : { files: [], cases: [] };
}

function tallyOf({ cases }: RunTimes, ok: boolean): Tally {
  const count = (state: string): number => cases.filter((each) => each.state === state).length;
  const failed = count('failed');
  return { passed: count('passed'), failed: ok ? failed : Math.max(failed, 1), skipped: count('skipped') };
}
