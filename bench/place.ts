/** The setting of a bench: Caisson on a state directory of its own, and the engine it uses, for the peer. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Docker from 'dockerode';
import type { CaissonApi, SandboxRequest } from '../src/service/api.ts';
import { CaissonError } from '../src/errors.ts';

export interface BenchPlace {
  readonly caisson: CaissonApi;
  readonly docker: Docker;
  readonly image: string;
  readonly home: string;
  /** Containers of Caisson that do not count: they were there before. */
  readonly others: ReadonlySet<string>;
  close(): Promise<void>;
}

/** Small ones first: the image is not what is measured. */
const images = [
  'caisson-test/busybox:latest',
  'bb:latest',
  'busybox:latest',
  'alpine:latest',
  'caisson/base:latest',
  'debian:bookworm-slim',
];

/** `config`: text of its configuration file. */
export async function openPlace(wanted: string | null, config = ''): Promise<BenchPlace> {
  const docker = new Docker();
  const image = await chooseImage(docker, wanted);
  const others = new Set((await askContainers(docker)).map(({ Id }) => Id));
  // Only now: benches of the command line need neither the service nor an engine.
  const { openCaisson } = await import('../src/main.ts');
  const home = await mkdtemp(join(tmpdir(), 'caisson-bench-'));
  if (config !== '') await writeFile(join(home, 'config.yaml'), config, { mode: 0o600 });
  const caisson = await openCaisson({ home, env: process.env, cwd: home, flags: { 'terminal.backend': 'docker' } });
  const close = async (): Promise<void> => {
    await caisson.close();
    await rm(home, { recursive: true, force: true });
  };
  return { caisson, docker, image, home, others, close };
}

/** What every bench asks for: no persistence, and nothing that the engine may lack. */
export function request(place: BenchPlace, more: Partial<SandboxRequest> = {}): SandboxRequest {
  return {
    backend: 'docker',
    image: place.image,
    persistent: false,
    network: 'none',
    limits: { diskBytes: null },
    ...more,
  };
}

/** Resolves when the engine has no sandbox of Caisson any more, so that their removal does not run in the peer's time. */
export async function untilGone({ docker, others }: BenchPlace): Promise<void> {
  while ((await askContainers(docker)).some(({ Id }) => !others.has(Id))) await sleep(50);
}

async function askContainers(docker: Docker): Promise<readonly Docker.ContainerInfo[]> {
  return await docker.listContainers({ all: true, filters: { label: ['caisson.instance'] } });
}

/** A sandbox for the time of `work`, and the container it is. */
export async function withSandbox<T>(
  place: BenchPlace,
  work: (task: string, container: string) => Promise<T>,
  more: Partial<SandboxRequest> = {},
): Promise<T> {
  const taskId = `bench-${crypto.randomUUID().slice(0, 8)}`;
  const { sandbox } = await place.caisson.sandboxes.create(request(place, { taskId, ...more }));
  try {
    if (sandbox.place === null) throw new CaissonError('internal', 'the sandbox does not tell its container');
    return await work(taskId, sandbox.place.resource);
  } finally {
    await place.caisson.sandboxes.remove(taskId);
  }
}

async function chooseImage(docker: Docker, wanted: string | null): Promise<string> {
  const there = (await askImages(docker)).flatMap((image) => image.RepoTags ?? []);
  const found = (wanted === null ? images : [wanted]).find((image) => there.includes(image));
  if (found !== undefined) return found;
  throw new CaissonError(
    'failed_precondition',
    wanted === null ? 'the engine has no image to measure with' : `the engine has no image ${wanted}`,
    {
      remedy: 'Name one that is there with --image, or run: caisson image build base',
    },
  );
}

async function askImages(docker: Docker): Promise<readonly Docker.ImageInfo[]> {
  try {
    return await docker.listImages();
  } catch (cause) {
    throw new CaissonError('unavailable', 'no Docker engine answers', {
      cause,
      remedy: 'Start one, or name one in DOCKER_HOST.',
    });
  }
}
