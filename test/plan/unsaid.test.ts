import { describe, expect, it } from 'vitest';
import type { Spec } from '../../src/backend.ts';
import { asBefore, backendBefore } from '../../src/plan/unsaid.ts';
import { aSpec, settledFor } from './fixtures.ts';

const limited = (memoryBytes: number): Spec => ({ ...aSpec, limits: { ...aSpec.limits, memoryBytes } });

describe('what a request leaves open', () => {
  it('stays as the sandbox has it, while the configuration says what it said', () => {
    const before = { spec: limited(1e9), configured: limited(5e9), degraded: [] };
    expect(asBefore(settledFor(limited(5e9)), before).spec).toEqual(limited(1e9));
  });

  it('is the new value where the configuration has changed', () => {
    const before = { spec: limited(1e9), configured: limited(5e9), degraded: [] };
    expect(asBefore(settledFor(limited(4e9)), before).spec).toEqual(limited(4e9));
  });

  it('is judged control by control', () => {
    const configured = { ...limited(5e9), network: 'none' } as const;
    const before = {
      spec: { ...limited(1e9), network: 'open' } as const,
      configured: { ...configured, network: 'open' } as const,
      degraded: [],
    };
    expect(asBefore(settledFor(configured), before).spec).toEqual({ ...limited(1e9), network: 'none' });
  });

  it('is not touched where the request names it', () => {
    const before = { spec: limited(1e9), configured: limited(5e9), degraded: [] };
    const asked = settledFor(limited(5e9), { spec: limited(2e9), said: new Set(['memoryBytes']) });
    expect(asBefore(asked, before).spec).toEqual(limited(2e9));
  });

  it('is no demand where the sandbox was made without it, by leave', () => {
    const degraded = [{ control: 'diskBytes', wanted: 1, reason: 'none here', asked: false }];
    const before = { spec: aSpec, configured: aSpec, degraded };
    const asked = new Set(['diskBytes', 'memoryBytes']);
    expect(asBefore(settledFor(aSpec, { asked }), before).asked).toEqual(new Set(['memoryBytes']));
    const said = new Set(['diskBytes']);
    expect(asBefore(settledFor(aSpec, { asked, said }), before).asked).toEqual(asked);
  });

  it('is decided by the whole spec for a row of an earlier version', () => {
    const settled = settledFor(limited(5e9));
    expect(asBefore(settled, { spec: limited(1e9), configured: null, degraded: [] })).toBe(settled);
  });

  it('is the backend, too, by which commands are judged', () => {
    expect(backendBefore('docker', { backend: 'local', configured: { ...aSpec, backend: 'docker' } })).toBe('local');
    expect(backendBefore('ssh', { backend: 'local', configured: { ...aSpec, backend: 'docker' } })).toBe('ssh');
    expect(backendBefore('docker', { backend: 'local', configured: null })).toBe('docker');
  });
});
