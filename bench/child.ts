/** Runs a file of `children/` in a process of its own, so that its memory is its own. It prints one JSON object. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CaissonError } from '../src/errors.ts';

const execute = promisify(execFile);

export async function child(
  name: 'leak' | 'memory',
  args: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const file = fileURLToPath(new URL(`./children/${name}.ts`, import.meta.url));
  const flags = ['--expose-gc', '--import', new URL('../bin/process.js', import.meta.url).href];
  const { stdout } = await execute(process.execPath, [...flags, file, ...args]);
  const reported: unknown = JSON.parse(stdout);
  if (!isNumbers(reported)) throw new CaissonError('internal', `bench child ${name} printed no figures`);
  return reported;
}

function isNumbers(value: unknown): value is Record<string, number> {
  return typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'number');
}
