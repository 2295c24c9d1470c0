/**
 * The time of day without the steps forward that it has made since boot, for what expires by age: a clock that is set
 * three days ahead must not make yesterday's records old. What it was at the first opening in this boot is kept.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../lib/clock.ts';

const key = 'clock';

export function steadyNow(db: DatabaseSync, clock: Clock): number {
  const { bootId } = clock;
  if (bootId === null) return clock.wallMs();
  const offset = clock.wallMs() - clock.bootMs();
  const first = firstOffset(db, bootId) ?? keep(db, bootId, offset);
  return clock.wallMs() - Math.max(0, offset - first);
}

function firstOffset(db: DatabaseSync, bootId: string): number | null {
  const value = db.prepare('SELECT value FROM meta WHERE key = ?').get(key)?.['value'];
  const [id, offset] = typeof value === 'string' ? value.split(' ') : [];
  return id === bootId && offset !== undefined ? Number(offset) : null;
}

function keep(db: DatabaseSync, bootId: string, offset: number): number {
  db.prepare('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value').run(
    key,
    `${bootId} ${offset}`,
  );
  return offset;
}
