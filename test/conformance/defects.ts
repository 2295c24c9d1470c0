/** Backends with one defect each, which the suite must find. */
import { mkdir } from 'node:fs/promises';
import { PassThrough, type Readable } from 'node:stream';
import type { Backend, CreateOptions, ExecOptions, Process, Sandbox } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';

type Command = readonly [string, ...string[]];
type Exec = Sandbox['exec'];

export interface Defect {
  readonly about: string;
  /** Each of these cases must fail. */
  readonly found: readonly string[];
  readonly exec?: (exec: Exec, command: Command, options: ExecOptions) => Promise<Process>;
  readonly sandbox?: (sandbox: Sandbox) => Partial<Sandbox>;
  readonly create?: (options: CreateOptions) => Partial<CreateOptions>;
  readonly list?: Backend['list'];
  readonly createInstead?: (backend: Backend) => Backend['create'];
}

/** `exec` with a change to the process it gives. */
function on(change: (process: Process) => Partial<Process>): NonNullable<Defect['exec']> {
  return async (exec, command, options) => {
    const process = await exec(command, options);
    const own: Process = {
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
      wait: () => process.wait(),
      kill: (signal) => process.kill(signal),
      release: () => process.release(),
    };
    return { ...own, ...change(process) };
  };
}

export const defects: readonly Defect[] = [
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
    found: ['pressure.held'],
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
  { about: 'takes a missing program for a failure of the place', found: ['arguments.no-program'], exec: unavailable },
  {
    about: 'forgets to destroy',
    found: ['lifecycle.attach-gone', 'lifecycle.exec-gone', 'leftovers.resources'],
    sandbox: () => ({ destroy: async () => undefined }),
  },
  {
    about: 'stops nothing',
    found: ['power.stop', 'power.processes'],
    sandbox: () => ({ power: { stop: async () => undefined, start: async () => undefined } }),
  },
  {
    about: 'makes a new resource each time',
    found: ['naming.same', 'naming.race', 'naming.conflict', 'naming.replace'],
    create: ({ name }) => ({ name: `${name}-${performance.now()}` }),
  },
  { about: 'lists nothing', found: ['lifecycle.labels', 'naming.same', 'naming.replace'], list: async () => [] },
  {
    about: 'tells a deadline as canceled',
    found: ['abort.deadline'],
    createInstead: (backend) => async (spec, options) => {
      if (options.signal?.aborted) throw new CaissonError('canceled', 'canceled', { cause: options.signal.reason });
      return await backend.create(spec, options);
    },
  },
  {
    about: 'makes the resource although creation was aborted',
    found: ['abort.create'],
    createInstead:
      (backend) =>
      async (spec, { signal, ...options }) => {
        const sandbox = await backend.create(spec, options);
        if (signal === undefined) return sandbox;
        throw new CaissonError('canceled', 'canceled');
      },
  },
];

function definedEnv(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
}

function ended(): Readable {
  return new PassThrough().end();
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
  try {
    return await exec(command, options);
  } catch (error) {
    throw new CaissonError('unavailable', 'the place failed', { cause: error });
  }
}
