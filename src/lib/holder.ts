/**
 * Who works on a state directory, and whether they live.
 *
 * On one machine a process is known by its id together with its start time: a killed one is dead at once, a stopped one
 * lives, and a reused id is not mistaken for it. A process id means something only within one boot and one pid namespace
 * (two containers may share a state directory), so both are part of the machine's name. Everyone else is believed for
 * as long as their heartbeat is fresh.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { type Clock, sinceMs } from './clock.ts';
import { startTimeOf } from './start-time.ts';

export const heartbeatMs = 5000;
const staleMs = 20_000;

export interface HolderRow {
  readonly id: string;
  readonly host: string;
  /** `null` where there is no /proc to look processes up in. */
  readonly machine: string | null;
  readonly pid: number | null;
  readonly startTime: string | null;
  /** Milliseconds since the epoch. */
  readonly heartbeatAt: number;
  /** Last heartbeat by the boot clock; `null` in rows of earlier versions. */
  readonly heartbeatBootMs: number | null;
}

export function thisProcess(id: string, clock: Clock): HolderRow {
  const machine = thisMachine();
  const startTime = machine === null ? null : startTimeOf(process.pid);
  return {
    id,
    host: hostname(),
    machine: startTime === null ? null : machine,
    pid: process.pid,
    startTime,
    heartbeatAt: clock.wallMs(),
    heartbeatBootMs: clock.bootMs(),
  };
}

export function isAlive(holder: HolderRow, clock: Clock): boolean {
  if (holder.pid !== null && holder.startTime !== null && holder.machine !== null && holder.machine === thisMachine()) {
    return startTimeOf(holder.pid) === holder.startTime;
  }
  const boot = bootOf(holder);
  // A heartbeat from the future is a clock that was set back: waiting is safe, taking over is not.
  return sinceMs({ wallMs: holder.heartbeatAt, boot }, clock) <= staleMs;
}

/** The name of a machine begins with its boot id: a step of the time of day must not make a live holder there a dead one. */
function bootOf({ machine, heartbeatBootMs }: HolderRow): { readonly id: string; readonly ms: number } | null {
  const id = machine?.split(' ')[0];
  return id === undefined || heartbeatBootMs === null ? null : { id, ms: heartbeatBootMs };
}

let machine: string | null | undefined;

function thisMachine(): string | null {
  machine ??= readMachine();
  return machine;
}

function readMachine(): string | null {
  try {
    // A /proc of another pid namespace would answer about other processes.
    if (readFileSync('/proc/self/stat', 'latin1').split(' ')[0] !== String(process.pid)) return null;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    // No /proc here (macOS, a hardened container): heartbeats alone decide.
    return null;
  }
}
