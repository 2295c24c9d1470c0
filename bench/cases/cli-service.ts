/** The command line where a service runs on its state directory. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bench, BenchInput } from '../bench.ts';
import { figuresOf, type Target } from '../figure.ts';
import { interleave, timed } from '../interleave.ts';
import { openPrograms, type Programs } from '../programs.ts';

const most = (value: number): Target => ({ of: 'ratio', is: '<=', value });

export const cliExecService: Bench = {
  name: 'cli-exec-service',
  about: 'caisson exec TASK -- true through a service, against docker exec',
  async *run({ quick }: BenchInput) {
    await using programs = await openPrograms({ service: true });
    await using peer = await both(programs);
    const { caisson, docker } = programs;
    const samples = await interleave(
      () => timed(() => caisson('exec', 'bench', '--', 'true')),
      () => timed(() => docker('exec', peer.id, 'true')),
      rounds(quick),
    );
    yield* figuresOf('exec', samples, { unit: 'ms', target: most(0.65) });
  },
};

export const cliLsService: Bench = {
  name: 'cli-ls-service',
  about: 'caisson ls through a service, against `node -e 0`',
  async *run({ quick }: BenchInput) {
    await using programs = await openPrograms({ service: true });
    const { caisson, node } = programs;
    const samples = await interleave(
      () => timed(() => caisson('ls')),
      () => timed(node),
      rounds(quick),
    );
    yield* figuresOf('ls', samples, { unit: 'ms', target: most(2) });
  },
};

export const cliCp: Bench = {
  name: 'cli-cp',
  about: 'caisson cp of one small file through a service, in and out, against docker cp',
  async *run({ quick }: BenchInput) {
    await using programs = await openPrograms({ service: true });
    await using peer = await both(programs);
    const { caisson, docker, path } = programs;
    const [file, back] = [join(path, 'small'), join(path, 'back')];
    await writeFile(file, 'a small file\n');
    await mkdir(back);
    const into = await interleave(
      () => timed(() => caisson('cp', '-q', file, 'bench:/tmp/small')),
      () => timed(() => docker('cp', '-q', file, `${peer.id}:/tmp/small`)),
      rounds(quick),
    );
    yield* figuresOf('cp in', into, { unit: 'ms', target: most(1) });
    const out = await interleave(
      () => timed(() => caisson('cp', '-q', 'bench:/tmp/small', join(back, 'ours'))),
      () => timed(() => docker('cp', '-q', `${peer.id}:/tmp/small`, join(back, 'theirs'))),
      rounds(quick),
    );
    yield* figuresOf('cp out', out, { unit: 'ms', target: most(1) });
  },
};

export const cliRunService: Bench = {
  name: 'cli-run-service',
  about: 'caisson run -- true through a service, against docker run --rm',
  async *run({ quick }: BenchInput) {
    await using programs = await openPrograms({ service: true });
    const { caisson, docker, image } = programs;
    const samples = await interleave(
      () => timed(() => caisson('run', '-q', '--', 'true')),
      () => timed(() => docker('run', '--rm', image, 'true')),
      rounds(quick),
    );
    yield* figuresOf('run', samples, { unit: 'ms', target: null });
  },
};

/** A sandbox and a container of the engine's own, both removed in the end. */
async function both({ caisson, docker, image }: Programs): Promise<AsyncDisposable & { readonly id: string }> {
  const id = await docker('run', '-d', image, 'sleep', '86400');
  await caisson('run', '-q', '--task', 'bench', '--', 'true');
  return {
    id,
    [Symbol.asyncDispose]: async () => {
      await caisson('rm', 'bench');
      await docker('rm', '-f', id);
    },
  };
}

function rounds(quick: boolean) {
  return quick ? { warmUp: 2, rounds: 5 } : { warmUp: 4, rounds: 21 };
}
