/** What makes a member fit a plan. Pure. */
import { createHash } from 'node:crypto';
import { fingerprint } from '../plan/fingerprint.ts';
import type { Plan } from '../plan/types.ts';

/** Two plans have the same one where a backend would be asked for the same. What it cannot give does not count. */
export function memberKey({ placed, credentials }: Pick<Plan, 'placed' | 'credentials'>): string {
  const made = [fingerprint(placed), credentials.directory];
  return createHash('sha256').update(JSON.stringify(made)).digest('hex').slice(0, 32);
}
