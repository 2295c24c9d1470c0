/**
 * Sorts test files into projects. `conformance`: its folder, and every file that runs the suite. `e2e`: its folder, and
 * every other file that imports from test/engines, itself or through what it imports: engines are there exactly where
 * they are used. `live`: suites against services, which need an account. `processes`: others whose test code starts processes or opens
 * the whole service, which starts shells and costs three times as much. `unit`: the rest.
 */
import { importsOf, readSources, targetOf, type Sources } from './architecture/imports.ts';

export interface TestFiles {
  readonly unit: string[];
  readonly processes: string[];
  readonly conformance: string[];
  readonly e2e: string[];
  readonly live: string[];
}

export async function testFiles(root: string): Promise<TestFiles> {
  const sources = await readSources(root, ['test/**/*.ts']);
  const files: TestFiles = { unit: [], processes: [], conformance: [], e2e: [], live: [] };
  for (const path of [...sources.keys()].filter((each) => each.endsWith('.test.ts')).sort())
    files[projectOf(path, sources)].push(path);
  return files;
}

/** It starts processes, and few: a check has time for it. */
const quickOracle = 'test/oracle/quick.test.ts';

export function projectOf(path: string, sources: Sources): keyof TestFiles {
  if (path.startsWith('test/live/')) return 'live';
  if (path === quickOracle) return 'unit';
  const reached = new Set<string>();
  reach(path, sources, reached);
  if (path.startsWith('test/conformance/') || reached.has('test/conformance/suite.ts')) return 'conformance';
  const engines = [...reached].some((each) => each.startsWith('test/engines/') && each !== path);
  if (path.startsWith('test/e2e/') || engines) return 'e2e';
  return reached.has('node:child_process') || reached.has('src/main.ts') ? 'processes' : 'unit';
}

/** Adds the file and all that it imports, directly or not, as far as these are sources; of packages, their names. */
function reach(path: string, sources: Sources, reached: Set<string>): void {
  if (reached.has(path)) return;
  reached.add(path);
  const text = sources.get(path);
  if (text === undefined) return;
  for (const each of importsOf(path, text)) reach(targetOf(path, each) ?? each.specifier ?? '', sources, reached);
}
