/** Defects in how commands are run. */
import { mkdir } from 'node:fs/promises';
import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecOptions, Process } from '../../../src/backend.ts';
import { CaissonError } from '../../../src/errors.ts';
import { type Command, type Defect, ended, type Exec, on } from './defect.ts';

export const commandDefects: readonly Defect[] = [
  {
    about: 'hands its own environment on',
    found: ['environment.no-leak'],
    exec: (exec, command, options) => exec(command, { ...options, env: { ...definedEnv(), ...options.env } }),
  },
  {
    about: 'joins arguments into shell text',
    found: ['arguments.no-shell', 'arguments.exact', 'arguments.property'],
    exec: (exec, command, options) => exec(['sh', '-c', command.join(' ')], options),
  },
  {
    about: 'drops empty arguments',
    found: ['arguments.exact'],
    exec: (exec, [program, ...args], options) => exec([program, ...args.filter((arg) => arg !== '')], options),
  },
  {
    about: 'forgets the environment',
    found: ['environment.exact', 'environment.long', 'environment.property'],
    exec: (exec, command, options) => exec(command, { ...options, env: {} }),
  },
  {
    about: 'ignores the directory',
    found: ['cwd.exact', 'cwd.missing', 'cwd.file'],
    exec: (exec, command, options) => exec(command, { ...options, cwd: '/' }),
  },
  {
    about: 'makes a missing directory',
    found: ['cwd.missing'],
    exec: async (exec, command, options) => {
      // One that cannot be made is the case of another test.
      await mkdir(options.cwd, { recursive: true }).catch(() => undefined);
      return await exec(command, options);
    },
  },
  {
    about: 'merges the streams',
    found: ['streams.apart', 'shell.swapped'],
    exec: on((process) => ({ stdout: merged(process), stderr: ended() })),
  },
  {
    about: 'decodes bytes as text',
    found: ['streams.all-bytes', 'streams.binary'],
    exec: on(({ stdout }) => ({ stdout: decoded(stdout) })),
  },
  {
    about: 'loses the last bytes',
    found: ['shell.no-newline', 'streams.long-line'],
    exec: on(({ stdout }) => ({ stdout: shortened(stdout) })),
  },
  {
    about: 'tells success whatever happened',
    found: ['exit.codes', 'exit.property', 'exit.sigkill', 'exit.true'],
    exec: on((process) => ({ wait: async () => ({ ...(await process.wait()), exitCode: 0, signal: null }) })),
  },
  {
    about: 'takes every SIGKILL for memory',
    found: ['exit.sigkill', 'limits.memory-told'],
    exec: on((process) => ({
      wait: async () => process.wait().then((end) => ({ ...end, outOfMemory: end.signal === 'SIGKILL' })),
    })),
  },
  {
    about: 'waits for the streams',
    found: ['background.holds'],
    exec: on((process) => ({ wait: () => afterStreams(process) })),
  },
  {
    about: 'reads ahead without bound',
    found: ['pressure.held', 'pressure.endless'],
    exec: on(({ stdout }) => ({ stdout: hoarded(stdout) })),
  },
  {
    about: 'does not kill',
    found: ['kill.sigterm', 'kill.ignored', 'kill.group'],
    exec: on(() => ({ kill: async () => undefined })),
  },
  { about: 'does not release', found: ['background.holds'], exec: on(() => ({ release: () => undefined })) },
  {
    about: 'leaves stdin open when none was asked for',
    found: ['stdin.absent', 'shell.empty-stdin'],
    exec: (exec, command, options) => exec(command, { ...options, stdin: true }),
  },
  {
    about: 'starts a command whose caller has given up',
    found: ['abort.exec'],
    exec: (exec, command, { cwd, env, stdin }) => exec(command, { cwd, env, stdin }),
  },
  {
    about: 'leaves the words of a shell about a missing program in its output',
    found: ['arguments.no-program'],
    exec: (exec, command, options) => exec(['sh', '-c', 'exec "$@"', 'sh', ...command], options),
  },
  {
    about: 'claims the end of streams that a process holds',
    found: ['outputs.held'],
    exec: on(() => ({ outputs: async () => ({ is: 'ended' }) })),
  },
  {
    about: 'proves nothing of its output',
    found: ['outputs.ended'],
    exec: on(() => ({ outputs: async () => ({ is: 'unknown', why: 'it does not look' }) })),
  },
  {
    about: 'does not announce what it sends',
    found: ['outputs.sent'],
    exec: (exec, command, { onSent: _ignored, ...options }) => exec(command, options),
  },
  { about: 'takes a missing program for a failure of the place', found: ['arguments.no-program'], exec: unavailable },
];

function definedEnv(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

function merged({ stdout, stderr }: Process): Readable {
  const both = new PassThrough();
  let open = 2;
  for (const stream of [stdout, stderr]) {
    stream.pipe(both, { end: false });
    stream.once('end', () => (open -= 1) === 0 && both.end());
  }
  return both;
}

function decoded(stdout: Readable): Readable {
  const text = new PassThrough();
  stdout.on('data', (chunk) => text.write(String(chunk))).once('end', () => text.end());
  return text;
}

function shortened(stdout: Readable): Readable {
  const short = new PassThrough();
  stdout.on('data', (chunk: Buffer) => short.write(chunk.subarray(0, -1))).once('end', () => short.end());
  return short;
}

function hoarded(stdout: Readable): Readable {
  const hoard = new PassThrough();
  stdout.on('data', (chunk) => hoard.write(chunk)).once('end', () => hoard.end());
  return hoard;
}

async function afterStreams(process: Process): ReturnType<Process['wait']> {
  if (!process.stdout.closed) await new Promise((resolve) => process.stdout.once('close', resolve));
  return await process.wait();
}

async function unavailable(exec: Exec, command: Command, options: ExecOptions): Promise<Process> {
  const process = await exec(command, options);
  const { notStarted } = await Promise.race([process.wait(), sleep(200, { notStarted: undefined })]);
  if (notStarted !== undefined) throw new CaissonError('unavailable', 'the place failed');
  return process;
}
