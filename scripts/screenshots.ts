/** `npm run screenshots`: pictures of the dashboard, taken by its test on a real service, into `docs/pictures/`. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const directory = `${root}docs/pictures`;
mkdirSync(directory, { recursive: true });
const { status } = spawnSync('vitest', ['run', 'test/e2e/dashboard/pages.test.ts', '-t', 'pictures'], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, CAISSON_SCREENSHOTS: directory },
});
process.exitCode = status ?? 1;
