/** Into which run a file of tests goes. */
import { expect, it } from 'vitest';
import { projectOf } from './projects.ts';

const sources = new Map([
  ['src/main.ts', 'export const openCaisson = () => null;'],
  ['test/world.ts', "import { openCaisson } from '../src/main.ts';\nexport const world = openCaisson;"],
  ['test/a.test.ts', "import { world } from './world.ts';"],
  ['test/b.test.ts', "import { spawn } from 'node:child_process';"],
  ['test/c.test.ts', "import { it } from 'vitest';"],
]);

it.each([
  ['opens the whole service, by way of another file', 'test/a.test.ts', 'processes'],
  ['starts processes by itself', 'test/b.test.ts', 'processes'],
  ['does neither', 'test/c.test.ts', 'unit'],
])('a file that %s', (_what, path, project) => {
  expect(projectOf(path, sources)).toBe(project);
});
