/** Whole programs for the benches of the command line: the package as it is published, and the engine's own. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { CaissonError } from '../src/errors.ts';
import { openPlace, type BenchPlace } from './place.ts';

const execute = promisify(execFile);
const checkout = fileURLToPath(new URL('..', import.meta.url));

/** The package as it is published, with a state directory of its own, and the engine's command line. */
export interface Programs extends AsyncDisposable {
  readonly caisson: (...args: readonly string[]) => Promise<unknown>;
  readonly docker: (...args: readonly string[]) => Promise<string>;
  readonly node: () => Promise<unknown>;
  readonly image: string;
  /** For files of a bench. */
  readonly path: string;
}

/** `service`: `caisson serve` runs on the state directory. */
export async function openPrograms({ service = false } = {}): Promise<Programs> {
  if (!existsSync(join(checkout, 'dist/code/cli.cjs')))
    throw new CaissonError('failed_precondition', 'there is no package to measure', { remedy: 'Run: npm run build' });
  const place: BenchPlace = await openPlace(null);
  await place.close();
  const root = await mkdtemp(join(tmpdir(), 'caisson-cli-bench-'));
  for (const part of ['bin', 'dist', 'package.json'])
    await cp(join(checkout, part), join(root, part), { recursive: true });
  const home = join(root, 'home');
  await mkdir(home, { mode: 0o700 });
  const config = `terminal: {backend: docker, docker_image: "${place.image}", container_disk: null}\n`;
  await writeFile(join(home, 'config.yaml'), config, { mode: 0o600 });
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`,
    CAISSON_HOME: home,
    HOME: root,
  };
  const run = async (program: string, args: readonly string[]): Promise<string> =>
    (await execute(program, args, { env })).stdout.trim();
  const end = service ? await serve(join(root, 'bin/caisson'), env) : () => Promise.resolve();
  return {
    path: root,
    caisson: (...args) => run(join(root, 'bin/caisson'), args),
    docker: (...args) => run('docker', args),
    node: () => run(process.execPath, ['-e', '0']),
    image: place.image,
    [Symbol.asyncDispose]: async () => {
      await end();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** Resolves when it answers; the returned function ends it. */
async function serve(program: string, env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  const child = spawn(program, ['serve', '--port', '0'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  const exit = once(child, 'exit');
  await Promise.race([once(child.stdout, 'data'), exit]);
  if (child.exitCode !== null) throw new CaissonError('failed_precondition', 'the service of the bench does not start');
  return async () => {
    child.kill('SIGTERM');
    await exit;
  };
}
