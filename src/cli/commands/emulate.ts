import { once } from 'node:events';
import type { StartEmulator } from '../../../emulators/emulator.ts';
import { CaissonError } from '../../errors.ts';
import { defineCommand } from '../command.ts';

/** Emulators by the name of the service that each stands for. */
const emulators: Readonly<Record<string, () => Promise<StartEmulator>>> = {
  daytona: async () => (await import('../../../emulators/daytona/emulator.ts')).startDaytona,
  modal: async () => (await import('../../../emulators/modal/emulator.ts')).startModal,
};

/** Packages that a service needs beside Caisson, which brings none of them along. */
const needs: Readonly<Record<string, string>> = {
  modal: 'npm install @grpc/grpc-js@1 @grpc/proto-loader@0.8',
};

export const emulate = defineCommand({
  name: 'emulate',
  summary: "Run a cloud's service on this machine, for tests without an account",
  about: `Starts the service on 127.0.0.1, prints the variables that point its official SDK at it, and runs
until Ctrl-C. Credentials are new at each start. Commands run for real: as root they have a root,
processes and limits of their own. Without root the service is refused unless you pass --unsafe,
since commands then run as you, on your files.`,
  operands: [{ name: 'SERVICE', count: 'one' }],
  runs: false,
  exitsAsCommand: false,
  options: {
    unsafe: { type: 'flag', about: 'start also where commands cannot be kept apart from this host' },
  },
  examples: [
    ['Modal, for another terminal', 'emulate modal'],
    ['Daytona', 'emulate daytona'],
    ['for a script', 'emulate modal -o json'],
  ],
  run: async (given, context) => {
    const [service = ''] = given.operands;
    const emulator = await (await starterOf(service))({ unsafe: given.flag('unsafe') });
    try {
      const { environment, faults } = emulator;
      if (context.json) await context.printJson({ environment, faults });
      else await context.print(shellLines(environment));
      context.notice(`faults are asked for at ${faults}; Ctrl-C ends the service`);
      if (!context.signal.aborted) await once(context.signal, 'abort');
      return 0;
    } finally {
      await emulator.close();
    }
  },
});

async function starterOf(service: string): Promise<StartEmulator> {
  if (!Object.hasOwn(emulators, service)) return unknown(service);
  try {
    return (await emulators[service]?.()) ?? unknown(service);
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : null;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') throw error;
    throw new CaissonError('failed_precondition', `a package that the emulator of ${service} needs is not installed`, {
      cause: error,
      ...(needs[service] === undefined ? {} : { remedy: needs[service] }),
    });
  }
}

function unknown(service: string): never {
  throw new CaissonError('invalid_argument', `there is no emulator of ${JSON.stringify(service.slice(0, 40))}`, {
    remedy: `name one of: ${Object.keys(emulators).join(', ')}`,
  });
}

/** For `eval "$(...)"` and for reading: the values are made here, of letters and digits. */
function shellLines(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `export ${name}='${value}'\n`)
    .join('');
}
