/** The other way: the Dockerfile of each layer, by the client of an engine. It needs a registry for Debian's own image. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { CaissonError } from '../../src/errors.ts';
import type { Recipe } from './recipes.ts';
import type { BuildOptions } from './rootfs.ts';
import { run, succeeds } from './run.ts';

export interface DockerfileOptions extends Omit<BuildOptions, 'directory'> {
  /** Image that the lowest layer starts from, for those who keep Debian's in a registry of their own. */
  readonly from?: string | undefined;
}

/** Builds every layer, the lowest first, and gives the id of the last. The engine is the client's: `DOCKER_HOST`. */
export async function buildByDockerfile(recipe: Recipe, options: DockerfileOptions): Promise<{ readonly id: string }> {
  const client = await findClient(options.env);
  const env = await clientEnv(client, options.env);
  let id = '';
  for (const [index, layer] of recipe.layers.entries()) {
    const from = index === 0 ? options.from : undefined;
    id = await buildLayer(layer, client, { ...options, env, from });
  }
  return { id };
}

export async function findClient(env: NodeJS.ProcessEnv): Promise<'docker' | 'podman'> {
  for (const client of ['docker', 'podman'] as const) if (await succeeds([client, '--version'], env)) return client;
  throw new CaissonError('failed_precondition', 'building from a Dockerfile needs the docker or podman client', {
    remedy: 'on Debian or Ubuntu: apt-get install docker.io, or podman',
  });
}

/** The old builder where the new one is not installed: docker 23 and later would fail instead of falling back. */
async function clientEnv(client: 'docker' | 'podman', env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  if (client === 'podman' || env['DOCKER_BUILDKIT'] !== undefined) return env;
  return { ...env, DOCKER_BUILDKIT: (await succeeds(['docker', 'buildx', 'version'], env)) ? '1' : '0' };
}

async function buildLayer(layer: string, client: string, options: DockerfileOptions): Promise<string> {
  const work = await mkdtemp(join(tmpdir(), 'caisson-image-'));
  const idFile = join(work, 'id');
  const name = basename(layer);
  const from = options.from === undefined ? [] : ['--build-arg', `DEBIAN=${options.from}`];
  try {
    await run([client, 'build', '--tag', `caisson/${name}:latest`, '--iidfile', idFile, ...from, layer], {
      env: options.env,
      remedy: 'where the engine reaches no registry, use the other method: --method packages',
      onLine: (line) => options.onProgress?.({ what: `${name}: ${line}`, done: null, total: null }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    return (await readFile(idFile, 'utf8')).trim();
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
