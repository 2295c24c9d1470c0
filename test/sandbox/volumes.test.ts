/** What is said of volumes that an image declares. */
import { describe, expect, it } from 'vitest';
import type { Spec } from '../../src/backend.ts';
import { volumesMissed } from '../../src/sandbox/volumes.ts';
import { spec } from './rows.ts';

function planOf({ readOnlyRoot = false, diskBytes = null as number | null, allowDegraded = false }) {
  const placed: Spec = {
    ...spec,
    limits: { ...spec.limits, diskBytes },
    hardening: { ...spec.hardening, readOnlyRoot },
  };
  return { placed, allowDegraded };
}

const image = { volumes: ['/data', '/var/lib/db'] };

describe('an image with volumes', () => {
  it('is refused under a read-only root, with what to do', () => {
    expect(() => volumesMissed(planOf({ readOnlyRoot: true }), image)).toThrow(
      expect.objectContaining({
        code: 'not_supported',
        details: { volumes: ['/data', '/var/lib/db'] },
        remedy: expect.stringContaining('--allow-degraded'),
      }),
    );
  });

  it('is listed where that is allowed, and beside a limit on disk that is held', () => {
    const missed = volumesMissed(planOf({ readOnlyRoot: true, diskBytes: 1e9, allowDegraded: true }), image);
    expect(missed.map(({ control, asked }) => [control, asked])).toEqual([
      ['readOnlyRoot', true],
      ['diskBytes', false],
    ]);
    for (const { reason } of missed) expect(reason).toContain('/data, /var/lib/db');
  });

  it('changes nothing where neither is there', () => {
    expect(volumesMissed(planOf({}), image)).toEqual([]);
    expect(volumesMissed(planOf({ readOnlyRoot: true, diskBytes: 1e9 }), {})).toEqual([]);
  });
});
