/**
 * Named places where a test can stop, hold or fail the process, so that crash recovery is tested at every step.
 * Inert unless `CAISSON_TEST_FAILPOINT` is set when the process starts: `NAME:crash`, `NAME:error`, `NAME:hold=FILE`,
 * which makes the file and goes on when it is gone; several separated by commas.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { CaissonError } from '../errors.ts';

export type Failpoint =
  | 'after-intent'
  | 'before-create'
  | 'after-create'
  | 'after-ready'
  | 'before-remove'
  | 'after-remove'
  | 'before-forget'
  | 'before-start'
  | 'after-start'
  | 'before-ready'
  | 'before-ref'
  | 'after-ref'
  | 'stopping'
  | 'after-stop'
  | 'before-offer'
  | 'after-claim'
  | 'after-link'
  | 'after-retire'
  | 'exec-row'
  | 'exec-audited'
  | 'exec-accepted'
  | 'exec-ended';

const armed = parse(process.env['CAISSON_TEST_FAILPOINT'] ?? '');

function parse(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(',').map((entry) => entry.split(':'));
  return new Map(pairs.flatMap(([name, action]) => (name && action ? [[name, action] as const] : [])));
}

export async function failpoint(name: Failpoint): Promise<void> {
  const action = armed.get(name);
  if (action === undefined) return;
  if (action === 'crash') process.kill(process.pid, 'SIGKILL');
  if (action === 'error') throw new CaissonError('internal', `failpoint ${name}`);
  await hold(action.replace('hold=', ''));
}

async function hold(file: string): Promise<void> {
  writeFileSync(file, '');
  while (existsSync(file)) await delay(20);
}
