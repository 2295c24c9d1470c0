/**
 * What a request leaves open stays as it is in the sandbox that the task has, as long as file and environment say what they said
 * when it was made. Where they have changed, the new value is wanted, and its difference is a conflict.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Spec } from '../backend.ts';
import type { SandboxRow } from '../store/store.ts';
import { limitNames } from './limits.ts';
import type { Settled } from './resolve.ts';

/** `configured: null`: a row of an earlier version, of which only the whole spec is known. */
export type Before = Pick<SandboxRow, 'spec' | 'configured' | 'degraded'>;

export function asBefore(settled: Settled, before: Before): Settled {
  const { configured } = before;
  if (configured === null) return settled;
  const pick = <T>(control: string, of: (spec: Spec) => T): T => {
    const unchanged = isDeepStrictEqual(of(settled.configured), of(configured));
    return of(!settled.said.has(control) && unchanged ? before.spec : settled.spec);
  };
  const limits = limitNames.map((name) => [name, pick(name, (spec) => spec.limits[name])] as const);
  const missing = new Set(before.degraded.map(({ control }) => control));
  return {
    ...settled,
    spec: {
      backend: settled.spec.backend,
      image: pick('image', (spec) => spec.image),
      limits: { ...settled.spec.limits, ...Object.fromEntries(limits) },
      network: pick('network', (spec) => spec.network),
      persistent: pick('persistent', (spec) => spec.persistent),
      // Each command has its own.
      cwd: settled.spec.cwd,
      mounts: pick('mounts', (spec) => spec.mounts),
      hardening: pick('hardening', (spec) => spec.hardening),
    },
    // A control that was left out then, by a default or by leave, is not demanded now.
    asked: new Set([...settled.asked].filter((control) => settled.said.has(control) || !missing.has(control))),
  };
}

/** The backend of the sandbox, when neither the request nor a changed configuration names another. */
export function backendBefore(configured: string, before: Pick<SandboxRow, 'backend' | 'configured'>): string {
  return before.configured?.backend === configured ? before.backend : configured;
}
