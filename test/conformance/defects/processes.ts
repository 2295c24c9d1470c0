/** Defects that show in what a command inherits, leaves behind, or does to its neighbours. */
import { openSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Process } from '../../../src/backend.ts';
import { abortError, CaissonError } from '../../../src/errors.ts';
import { changed, type Defect, doneAtOnce, each, on } from './defect.ts';

/** What every case must find that has no defect of its own: a case that passes here would pass for anything. */
export const runsNothing: Defect = {
  about: 'runs nothing, and tells success',
  found: [],
  exec: async (_exec, _command, { stdin }) => doneAtOnce(stdin ? new PassThrough().resume() : null),
};

/** Right after the start. */
const soonMs = 100;

export const processDefects: readonly Defect[] = [
  {
    about: 'tells success for an empty command line alone',
    found: ['shell.nothing'],
    exec: (exec, command, options) => exec(command.at(-1) === '' ? ['sh', '-c', 'exit 1'] : command, options),
  },
  {
    about: 'starts commands below a shell of its own',
    found: each('inheritance', 'signals umask descriptors session'),
    exec: (exec, command, options) =>
      exec(['sh', '-c', 'trap "" HUP; umask 077; exec 7</dev/null; "$@"; exit $?', 'sh', ...command], options),
  },
  {
    about: 'ends what a command leaves behind',
    found: ['background.detached', 'detached.survives'],
    exec: async (exec, command, options) => {
      const mark = String(Math.random());
      const process = await exec(command, { ...options, env: { ...options.env, DEFECT: mark } });
      const over = process.wait().then(async (end) => {
        await endAllWith(`DEFECT=${mark}`);
        return end;
      });
      return changed(process, { wait: () => over });
    },
  },
  { about: 'kills all commands instead of one', found: ['kill.others'], exec: killingAll() },
  {
    about: 'loses a signal that comes right after the start',
    found: ['kill.at-once'],
    exec: on((process) => {
      const from = performance.now();
      return { kill: async (signal) => (performance.now() - from < soonMs ? undefined : process.kill(signal)) };
    }),
  },
  {
    about: 'takes any word for a signal',
    found: ['kill.unknown'],
    exec: on((process) => ({ kill: (signal) => process.kill(signal).catch(() => undefined) })),
  },
  { about: 'fails to kill what has ended', found: each('kill', 'ended gone twice'), exec: on(killOnce) },
  {
    about: 'delivers output only when the command has ended',
    found: ['streams.prompt', 'stdin.dialogue', 'stdin.end'],
    exec: on((process) => ({ stdout: atTheEnd(process) })),
  },
  {
    about: 'gives the last words of a command to the next one',
    found: ['streams.concurrent'],
    exec: repeating(),
  },
  {
    about: 'takes stdin without bound',
    found: ['stdin.held'],
    exec: on(({ stdin }) => {
      if (stdin === null) return {};
      const hoard = new PassThrough({ writableHighWaterMark: 2 ** 30, readableHighWaterMark: 2 ** 30 });
      hoard.pipe(stdin);
      return { stdin: hoard };
    }),
  },
  { about: 'runs one command at a time', found: ['pressure.neighbour'], exec: oneAtATime() },
  {
    about: 'tells canceled while the command goes on',
    found: ['abort.exec-midway'],
    exec: async (exec, command, { signal, ...options }) => {
      const process = await exec(command, options);
      await sleep(20);
      if (signal?.aborted === true) throw abortError(signal);
      return process;
    },
  },
  {
    about: 'keeps a descriptor of every command',
    found: ['leftovers.descriptors'],
    exec: (exec, command, options) => {
      openSync('/', 'r');
      return exec(command, options);
    },
  },
  { about: 'hands variables of one command to the next', found: ['environment.apart'], exec: remembering() },
];

async function endAllWith(mark: string): Promise<void> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const environ = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => ''); // another's, or gone
    if (environ.split('\0').includes(mark)) killQuietly(Number(pid));
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

function killingAll(): NonNullable<Defect['exec']> {
  const all: Process[] = [];
  return on((process) => {
    all.push(process);
    return { kill: async (signal) => void (await Promise.all(all.map((each_) => each_.kill(signal)))) };
  });
}

function killOnce(process: Process): Partial<Process> {
  let isOver = false;
  void process.wait().then(() => (isOver = true));
  return {
    kill: async (signal) => {
      if (isOver) throw new CaissonError('not_found', 'it has ended');
      isOver = true;
      await process.kill(signal);
    },
  };
}

function atTheEnd(process: Process): PassThrough {
  const late = new PassThrough();
  const chunks: Buffer[] = [];
  process.stdout.on('data', (chunk: Buffer) => chunks.push(chunk)).once('end', () => late.end(Buffer.concat(chunks)));
  return late;
}

function repeating(): NonNullable<Defect['exec']> {
  let words: Uint8Array = new Uint8Array();
  return on((process) => {
    const own = new PassThrough();
    own.write(words);
    process.stdout.on('data', (chunk: Buffer) => own.write((words = chunk))).once('end', () => own.end());
    return { stdout: own };
  });
}

function oneAtATime(): NonNullable<Defect['exec']> {
  let before: Promise<unknown> = Promise.resolve();
  return async (exec, command, options) => {
    await before;
    const process = await exec(command, options);
    before = process.wait();
    return process;
  };
}

function remembering(): NonNullable<Defect['exec']> {
  let seen: Readonly<Record<string, string>> = {};
  return (exec, command, options) => {
    seen = { ...seen, ...options.env };
    return exec(command, { ...options, env: seen });
  };
}
