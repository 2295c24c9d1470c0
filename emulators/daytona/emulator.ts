/** Starts Daytona's service on this machine. */
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:net';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CaissonError } from '../../src/errors.ts';
import type { Emulator, EmulatorOptions } from '../emulator.ts';
import { accountRoutes } from './account.ts';
import { listenForFaults } from './control.ts';
import { type Fault, Faults } from './faults.ts';
import { Layers } from './images.ts';
import { findGroups } from './limits.ts';
import { MovableClock } from './movable-clock.ts';
import { Sandboxes } from './sandboxes.ts';
import { Front } from './server.ts';
import { Sockets } from './sockets.ts';
import { toolboxRoutes } from './toolbox-routes.ts';

export interface DaytonaOptions extends EmulatorOptions {
  /** Tars of root file systems, by the image they stand for. Every other image is made of this host. */
  readonly archives?: Readonly<Record<string, string>>;
}

export interface DaytonaEmulator extends Emulator {
  /** In this process, what the socket of faults does for others. */
  inject(fault: Fault): Promise<void>;
  /** Number of sandboxes that are not gone. */
  readonly count: () => number;
  /** Whether memory and cores are held by control groups here. */
  readonly holdsLimits: boolean;
}

export async function startDaytona(options: DaytonaOptions): Promise<DaytonaEmulator> {
  if (!options.unsafe && process.getuid?.() !== 0) throw needsRootError();
  const directory = await mkdtemp(join(tmpdir(), 'caisson-daytona-'));
  await chmod(directory, 0o700);
  const key = `dtn_${randomBytes(32).toString('hex')}`;
  const [faults, clock] = [new Faults(), new MovableClock()];
  const sandboxes = new Sandboxes(clock, faults);
  const sockets = new Sockets(sandboxes, faults);
  const layers = new Layers(join(directory, 'layers'), options.archives ?? {});
  const groups = options.unsafe ? null : await findGroups();
  const account = {
    sandboxes,
    layers,
    clock,
    directory,
    groups,
    faults,
    unsafe: options.unsafe,
    origin: () => front.origin,
  };
  const front = new Front({
    routes: [...accountRoutes(account), ...toolboxRoutes(sandboxes)],
    faults,
    key,
    upgrade: (...upgrade) => sockets.upgrade(...upgrade),
  });
  await front.listen();
  const inject = injector({ faults, clock, sandboxes, front });
  const control: Server = await listenForFaults(join(directory, 'faults.sock'), inject);
  return {
    environment: { DAYTONA_API_URL: `${front.origin}/api`, DAYTONA_API_KEY: key, DAYTONA_TARGET: 'here' },
    faults: join(directory, 'faults.sock'),
    inject,
    count: () => sandboxes.list().length,
    holdsLimits: groups !== null,
    close: async () => {
      control.close();
      await front.stop();
      await sandboxes.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

interface EmulatorInput {
  readonly faults: Faults;
  readonly clock: MovableClock;
  readonly sandboxes: Sandboxes;
  readonly front: Front;
}

function injector({ faults, clock, sandboxes, front }: EmulatorInput): (fault: Fault) => Promise<void> {
  return async (fault) => {
    faults.plan(fault);
    if (fault.fault === 'end-sandbox') await sandboxes.find(fault.sandbox).box.stop();
    if (fault.fault === 'advance-clock') {
      clock.advance(fault.ms);
      sandboxes.sweep();
    }
    if (fault.fault === 'restart') {
      await front.stop();
      await front.listen();
    }
  };
}

function needsRootError(): CaissonError {
  return new CaissonError('failed_precondition', 'commands can be kept apart from this host by root alone', {
    remedy: 'start it as root, or pass --unsafe: then commands run as you, on your files',
  });
}
