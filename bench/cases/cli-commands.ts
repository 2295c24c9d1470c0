import { setTimeout as sleep } from 'node:timers/promises';
import type { Bench, BenchInput } from '../bench.ts';
import { figuresOf, type Target } from '../figure.ts';
import { interleave, timed } from '../interleave.ts';
import { openPrograms } from '../programs.ts';

const most = (value: number): Target => ({ of: 'ratio', is: '<=', value });

/** Whole processes: from the start of the program to its end. */
export const cliExec: Bench = {
  name: 'cli-exec',
  about: 'caisson exec TASK -- true from the package, against docker exec',
  async *run({ quick }: BenchInput) {
    await using programs = await openPrograms();
    const { caisson, docker, image } = programs;
    const peer = await docker('run', '-d', image, 'sleep', '86400');
    try {
      await caisson('run', '-q', '--task', 'bench', '--', 'true');
      const samples = await interleave(
        () => timed(() => caisson('exec', 'bench', '--', 'true')),
        () => timed(() => docker('exec', peer, 'true')),
        rounds(quick),
      );
      yield* figuresOf('exec', samples, { unit: 'ms', target: most(2.6) });
    } finally {
      await caisson('rm', 'bench');
      await docker('rm', '-f', peer);
    }
  },
};

export const cliRun: Bench = {
  name: 'cli-run',
  about: 'caisson run -- true from the package, against docker run --rm: plain, and with the same flags',
  async *run({ quick }: BenchInput) {
    await using programs = await openPrograms();
    const { caisson, docker, image } = programs;
    const ours =
      (...flags: readonly string[]) =>
      async (): Promise<number> => {
        const ms = await timed(() => caisson('run', '-q', ...flags, '--', 'true'));
        // The engine still removes the sandbox: not in the time of the peer.
        while ((await docker('ps', '-aq', '--filter', 'label=caisson.instance')) !== '') await sleep(50);
        return ms;
      };
    const theirs =
      (...flags: readonly string[]) =>
      (): Promise<number> =>
        timed(() => docker('run', '--rm', ...flags, image, 'true'));
    yield* figuresOf('run', await interleave(ours(), theirs(), rounds(quick)), { unit: 'ms', target: most(1.2) });
    const off = ['--network', 'none'];
    const same = await interleave(ours(...off), theirs(...off, ...hardened), rounds(quick));
    yield* figuresOf('same flags', same, { unit: 'ms', target: null });
  },
};

export const cliLs: Bench = {
  name: 'cli-ls',
  about: 'caisson ls from the package, against `node -e 0`',
  async *run({ quick }: BenchInput) {
    await using programs = await openPrograms();
    const { caisson, node } = programs;
    const samples = await interleave(
      () => timed(() => caisson('ls')),
      () => timed(node),
      rounds(quick),
    );
    yield* figuresOf('ls', samples, { unit: 'ms', target: most(3) });
  },
};

/** What Caisson asks of the engine for each sandbox, as far as Docker's command line can say it. */
const hardened = [
  ...['--cap-drop', 'ALL', '--cap-add', 'DAC_OVERRIDE', '--cap-add', 'CHOWN', '--cap-add', 'FOWNER'],
  ...['--security-opt', 'no-new-privileges', '--pids-limit', '256', '--cpus', '1'],
  ...['--memory', '5g', '--memory-swap', '5g', '--ulimit', 'core=0', '--ulimit', 'nofile=4096:8192'],
  ...['--tmpfs', '/tmp:rw,nosuid,size=512m', '--tmpfs', '/var/tmp:rw,nosuid,size=256m'],
  ...['--tmpfs', '/run:rw,nosuid,size=64m'],
];

function rounds(quick: boolean) {
  return quick ? { warmUp: 2, rounds: 5 } : { warmUp: 3, rounds: 21 };
}
