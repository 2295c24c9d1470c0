import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bareCommand } from '../bare.ts';
import type { Bench } from '../bench.ts';
import { makeSets } from '../file-sets.ts';
import { type Figure, figuresOf, type Target } from '../figure.ts';
import { inRow, interleave, type Sample, timed } from '../interleave.ts';
import { ourExec } from '../ours.ts';
import { type SshPlace, withSshPlace } from '../ssh-place.ts';

const execute = promisify(execFile);

/** The OpenSSH client gets what it is fastest with: one connection that is open all the time. */
export const ssh: Bench = {
  name: 'ssh',
  about: 'commands and files over ssh, against the OpenSSH client, sftp and scp on a shared connection',
  async *run({ quick }) {
    const figures = await withSshPlace(async (place) => [
      ...(await commands(place, quick)),
      ...(await files(place, quick)),
    ]);
    yield* figures;
  },
};

async function commands(place: SshPlace, quick: boolean): Promise<readonly Figure[]> {
  const rounds = quick ? { warmUp: 2, rounds: 5 } : { warmUp: 5, rounds: 40 };
  const command = ['echo', 'x'] as const;
  const ours = (path: 'fastest' | 'direct') => async (): Promise<number> =>
    (await ourExec(place, { taskId: place.task, existing: true }, command, path)).endMs;
  const peer = (): Promise<number> => timed(() => place.client('ssh', ['127.0.0.1', ...command]));
  for (let warm = 0; warm < (quick ? 20 : 300); warm++) await ours('fastest')(); // what is hot is compiled then, as in a service
  const lane = await interleave(inRow(5, ours('fastest')), inRow(5, peer), rounds);
  const alone = await interleave(inRow(5, ours('fastest')), shellAlone(command), rounds);
  const bound = await interleave(shellAlone(command), inRow(5, peer), rounds);
  const direct = await interleave(ours('direct'), peer, rounds);
  return [
    ...figuresOf('lane', lane, { unit: 'ms', target: atMost(0.12) }),
    ...figuresOf('lane, shell alone', alone, { unit: 'ms', target: null }),
    ...figuresOf('shell alone, client', bound, { unit: 'ms', target: null }),
    ...figuresOf('direct', direct, { unit: 'ms', target: atMost(0.4) }),
  ];
}

/** On this host, without any ssh: one command of a row. */
function shellAlone(command: readonly string[]): Sample {
  const each = 20;
  const [program, ...args] = bareCommand(command, { each, workers: 1 });
  return async () => (await timed(() => execute(program, args))) / each;
}

async function files(place: SshPlace, quick: boolean): Promise<readonly Figure[]> {
  const host = await mkdtemp(join(place.directory, 'source-'));
  const rounds = quick ? { warmUp: 0, rounds: 2 } : { warmUp: 4, rounds: 7 };
  const ours =
    (set: string): Sample =>
    (round) =>
      timed(() =>
        place.caisson.files.copyIn({
          task: place.task,
          source: join(host, set),
          target: `${place.directory}/ours-${set}-${round}`,
        }),
      );
  try {
    await makeSets(host, quick ? { count: 500, megabytes: 32 } : { count: 5000, megabytes: 256 });
    const sftp = await interleave(ours('many'), sftpInto(place, join(host, 'many')), rounds);
    const scp = await interleave(ours('many'), scpInto(place, join(host, 'many')), rounds);
    const one = await interleave(ours('one'), scpInto(place, join(host, 'one')), rounds);
    return [
      ...figuresOf('5,000 files, sftp', sftp, { unit: 'ms', target: atMost(0.15) }),
      ...figuresOf('5,000 files, scp -r', scp, { unit: 'ms', target: atMost(0.08) }),
      ...figuresOf('256 MB, scp', one, { unit: 'ms', target: atMost(1) }),
    ];
  } finally {
    await rm(host, { recursive: true, force: true });
  }
}

function atMost(value: number): Target {
  return { of: 'ratio', is: '<=', value };
}

function scpInto(place: SshPlace, source: string): Sample {
  return cleared(place, (target) => place.client('scp', ['-q', '-r', source, `127.0.0.1:${target}`]));
}

/** A batch is the way to have sftp copy a tree without a person; its target must be there. */
function sftpInto(place: SshPlace, source: string): Sample {
  const batch = `${source}-batch`;
  return cleared(
    place,
    () => place.client('sftp', ['-q', '-b', batch, '127.0.0.1']),
    async (target) => {
      await mkdir(target);
      await writeFile(batch, `put -r ${source} ${target}\n`);
    },
  );
}

/** Times `copy` into a place that is not there, and removes what came. */
function cleared(
  { directory }: SshPlace,
  copy: (target: string) => Promise<unknown>,
  before: (target: string) => Promise<void> = () => Promise.resolve(),
): Sample {
  const target = join(directory, 'target');
  return async () => {
    await before(target);
    const ms = await timed(() => copy(target));
    await rm(target, { recursive: true });
    return ms;
  };
}
