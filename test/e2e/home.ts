/** A state directory of its own for a test, a service on it, and the engine beneath. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { compiled } from '../compiled.ts';
import { program } from '../program.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { openCaisson } from '../../src/main.ts';
import { dockerHost } from '../engines/docker.ts';

const run = promisify(execFile);

export const busybox = 'caisson-test/busybox:latest';
export const cli = program;

export interface Home extends AsyncDisposable {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  /** A service on this state directory; closed with the home at the latest. */
  open(flags?: Readonly<Record<string, unknown>>, more?: Readonly<Record<string, string>>): Promise<Caisson>;
  /** Runs the command line as a user does. Never throws for an exit code. */
  cli(
    args: readonly string[],
    input?: string,
    more?: Readonly<Record<string, string>>,
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }>;
  /** Ids of all containers on the engine that carry this home's instance label. */
  containers(): Promise<readonly string[]>;
  /** Those of its networks. */
  networks(): Promise<readonly string[]>;
  engine(args: readonly string[]): Promise<string>;
}

export async function makeHome(host: string | null = dockerHost()): Promise<Home> {
  if (host === null) throw new Error('this test needs an engine');
  const path = await mkdtemp(join(tmpdir(), 'caisson-home-'));
  const env = {
    ...compiled,
    PATH: process.env['PATH'] ?? '',
    HOME: path,
    CAISSON_HOME: path,
    DOCKER_HOST: host,
    CAISSON_TERMINAL_DOCKER_IMAGE: busybox,
  };
  const opened: Caisson[] = [];
  const ofInstance = async (...list: string[]): Promise<readonly string[]> =>
    (await home.engine([...list, '--no-trunc', '--filter', `label=caisson.instance=${await instanceOf(path)}`]))
      .split('\n')
      .filter(Boolean);
  const home: Home = {
    path,
    env,
    open: async (flags = {}, more = {}) => {
      const caisson = await openCaisson({ home: path, env: { ...env, ...more }, cwd: path, flags });
      opened.push(caisson);
      return caisson;
    },
    cli: async (args, input, more = {}) => {
      const how = { env: { ...env, ...more }, cwd: path, maxBuffer: 64 * 2 ** 20 };
      return await outcome(run(process.execPath, [cli, ...args], how), input);
    },
    containers: () => ofInstance('ps', '-aq'),
    networks: () => ofInstance('network', 'ls', '-q'),
    engine: async (args) => (await run('docker', ['-H', host, ...args], { maxBuffer: 64 * 2 ** 20 })).stdout.trim(),
    [Symbol.asyncDispose]: async () => {
      await Promise.all(opened.map((caisson) => caisson.close()));
      const left = await home.containers();
      if (left.length > 0) await home.engine(['rm', '-fv', ...left]);
      // An engine has addresses for some thirty.
      for (const network of await home.networks()) await removeNetwork(home, network);
      // A process that was killed a moment ago may still be writing.
      await rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    },
  };
  return home;
}

/** A busy engine answers the removal of a container before it has taken its endpoint off the network. */
async function removeNetwork(home: Home, network: string): Promise<void> {
  for (let tries = 20; ; tries -= 1) {
    try {
      return void (await home.engine(['network', 'rm', network]));
    } catch (error) {
      if (tries === 0 || !String(error).includes('active endpoints')) throw error;
      await sleep(500);
    }
  }
}

export async function instanceOf(path: string): Promise<string> {
  const { readFile } = await import('node:fs/promises');
  // A home that was refused has none, and then there is nothing of it on the engine.
  return (await readFile(join(path, 'instance'), 'utf8').catch(() => 'none')).trim();
}

type Child = ReturnType<typeof run>;

async function outcome(
  child: Child,
  input: string | undefined,
): Promise<{ code: number; stdout: string; stderr: string }> {
  child.child.stdin?.end(input ?? '');
  try {
    const { stdout, stderr } = await child;
    return { code: 0, stdout: String(stdout), stderr: String(stderr) };
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || !('stdout' in error) || !('stderr' in error)) throw error;
    return { code: Number(error.code ?? 137), stdout: String(error.stdout), stderr: String(error.stderr) };
  }
}
