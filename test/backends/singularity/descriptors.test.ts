import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';

const file = new URL('../../../backends/singularity/descriptors.ts', import.meta.url).href;
const listing = `
const { withoutLeaks } = await import(${JSON.stringify(file)});
const { spawnSync } = await import('node:child_process');
const list = ['sh', '-c', 'for fd in /proc/$$/fd/*; do [ -L "$fd" ] && echo "\${fd##*/}"; done'];
const run = ([program, ...args]) => spawnSync(program, args).stdout.toString().trim().split('\\n').map(Number);
console.log(JSON.stringify({ plain: run(list), closed: run(withoutLeaks(list)) }));`;

/** Node closes those that follow each other from the third on by itself. */
const inherit = 'exec 60</dev/null 251>/dev/null; exec "$@"';

test('closes what the service itself was started with, wherever it lies', () => {
  const args = ['-c', inherit, 'bash', process.execPath, '--input-type=module', '-e', listing];
  const { stdout } = spawnSync('bash', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const { plain, closed } = JSON.parse(stdout.toString());
  expect(plain).toEqual(expect.arrayContaining([60, 251]));
  expect(closed.filter((fd: number) => fd > 2)).toEqual([]);
});
