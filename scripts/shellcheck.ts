/**
 * `node scripts/shellcheck.ts`: checks the scripts that run in sandboxes, and those of this project. A script of a sandbox is
 * put together from parts, so that each part is checked behind the parts that define what it uses.
 */
import { spawnSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Parts share variables and functions, which one file alone neither sets (SC2154) nor uses (SC2034, SC2317). */
const shared = ['-e', 'SC2154,SC2034,SC2317'];
const inside = globSync(['{src,backends,emulators}/**/*.sh'], { cwd: root });
const ofBash = globSync(['src/inside/**/*.bash'], { cwd: root });
const own = [
  ...globSync(['scripts/**/*.sh', 'test/engines/**/*.sh', 'images/**/*.sh', '.githooks/*', 'src/**/*.bash'], {
    cwd: root,
  }).filter((path) => !ofBash.includes(path)),
  '.ci/run',
];

const check = (...args: readonly string[]): boolean =>
  spawnSync('shellcheck', args, { cwd: root, stdio: 'inherit' }).status === 0;

if (spawnSync('shellcheck', ['--version']).status === 0) {
  const all = [check('-s', 'sh', ...shared, ...inside), check('-s', 'bash', ...shared, ...ofBash), check(...own)];
  process.exitCode = all.every(Boolean) ? 0 : 1;
} else {
  console.error('NOT RUN: shellcheck is absent; install it with: sudo apt-get install -y shellcheck');
  process.exitCode = process.env['CAISSON_REQUIRE_ENGINES'] === '1' ? 1 : 0;
}
