/**
 * What the engine said about itself, kept for the processes that follow: to ask takes as long as a quarter of a short command.
 * A sandbox is only made by facts that were read by the process that makes it.
 */
import type { Kept } from '../../../src/backend.ts';
import type { Answers } from './facts.ts';
import { number, object, type Json } from './json.ts';

const name = 'engine';
/** An engine that was set up differently is noticed after this long, by processes that make nothing. */
const recentMs = 10 * 60_000;

/** What `toFacts` reads: proxies, registries and the names of a swarm are left out. */
const infoKeys = [
  'Architecture',
  'CgroupVersion',
  'CpuCfsPeriod',
  'CpuCfsQuota',
  'DefaultRuntime',
  'Driver',
  'DriverStatus',
  'ID',
  'KernelVersion',
  'MemTotal',
  'MemoryLimit',
  'NCPU',
  'OperatingSystem',
  'PidsLimit',
  'Plugins',
  'Runtimes',
  'SecurityOptions',
  'ServerVersion',
  'SwapLimit',
] as const;

export function keepAnswers(kept: Kept, endpoint: string, { info, version }: Answers): void {
  const wanted: Json = Object.fromEntries(infoKeys.map((key) => [key, info[key]]));
  kept.write(name, { endpoint, readAt: Date.now(), info: wanted, version });
}

/** `null`: nothing recent is known of the engine at that endpoint. */
export function keptAnswers(kept: Kept, endpoint: string): Answers | null {
  const value = object(kept.read(name));
  const ageMs = Date.now() - (number(value['readAt']) ?? 0);
  // An age below zero: the clock was set back.
  if (value['endpoint'] !== endpoint || ageMs < 0 || ageMs > recentMs) return null;
  return { info: object(value['info']), version: object(value['version']) };
}
