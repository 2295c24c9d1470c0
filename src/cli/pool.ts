/** The lines of `doctor` about the pool. Pure. */
import type { Check, PoolView } from '../service/api.ts';

/** `null`: no entry is configured. An entry that cannot be filled is a warning: sandboxes are made as without a pool then. */
export function poolCheck(entries: readonly PoolView[]): Check | null {
  if (entries.length === 0) return null;
  const [ready, size, making] = [sum(entries, 'ready'), sum(entries, 'size'), sum(entries, 'making')];
  return {
    status: 'ready',
    summary: `${ready} of ${size} sandboxes stand ready${making === 0 ? '' : `, ${making} being made`}`,
    remedy: ready + making > 0 ? null : 'caisson serve keeps the pool filled, and caisson pool fill fills it once',
    facts: {},
    findings: entries.flatMap(failureOf),
  };
}

const sum = (entries: readonly PoolView[], key: 'ready' | 'size' | 'making'): number =>
  entries.reduce((total, entry) => total + entry[key], 0);

function failureOf({ entry, ready, size, error }: PoolView): Check['findings'] {
  if (error === null) return [];
  const message = `${ready} of ${size} stand ready, and the last one could not be made: ${error}`;
  return [{ severity: 'warning', id: entry, message, remedy: `correct pool.entries.${entry}, or what it needs` }];
}
