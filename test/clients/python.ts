/** Debian's python3, without packages of its own, on the client of this checkout. */
import { execFile, execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Not one of a version manager, which may have packages. */
export const python3 = '/usr/bin/python3';
export const clientFolder = fileURLToPath(new URL('../../clients/python', import.meta.url));
export const testFolder = fileURLToPath(new URL('python', import.meta.url));

const environment = {
  PATH: '/usr/bin:/bin',
  PYTHONPATH: clientFolder,
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONWARNINGS: 'error',
};

/** `-S`: without what is installed. Throws with what the program said. */
export async function python(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const options = { cwd: testFolder, env: { ...environment, ...env }, maxBuffer: 2 ** 26 };
  return (await run(python3, ['-S', ...args], options)).stdout;
}

/** Ids of the cases of the table. */
export function tableIds(): readonly string[] {
  const text = execFileSync(python3, ['-S', 'table.py', '--list'], { cwd: testFolder, env: environment });
  const ids: unknown = JSON.parse(text.toString());
  return Array.isArray(ids) ? ids.map(String) : [];
}

/** Lines of JSON, each by its field. */
export function byField(text: string, field: string): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => JSON.parse(line)).map((found) => [String(Object(found)[field]), Object(found)]));
}
