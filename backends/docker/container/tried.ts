/**
 * Whether rules can be set for containers of an engine, as a trial has shown, kept for the processes that follow: for a user other than
 * root a trial takes a container. A sandbox whose rules cannot be set all the same is not made.
 */
import type { Enforcement, Kept } from '../../../src/backend.ts';
import { number, object, text } from '../engine/json.ts';
import { canRefuse } from './refusals.ts';
import type { Restore } from './restore.ts';

const name = 'refusals';
const minuteMs = 60_000;
/** What was missing may be installed. */
const recentMs = { enforced: 24 * 60 * minuteMs, not: 10 * minuteMs } as const;

/** `engine`: its id; without one nothing is kept. */
export async function triedRefusals(
  restore: Restore,
  { kept, engine }: { readonly kept: Kept | undefined; readonly engine: string | null },
): Promise<Enforcement> {
  const who = engine === null ? null : `${engine} ${process.geteuid?.() ?? 0}`;
  const known = who === null ? null : keptTrial(kept, who);
  if (known !== null) return known;
  const tried = await canRefuse(restore);
  if (who !== null) kept?.write(name, { who, triedAt: Date.now(), ...tried });
  return tried;
}

/** What was said has turned out to be wrong. */
export const forgetTrial = (kept: Kept | undefined): void => kept?.write(name, {});

function keptTrial(kept: Kept | undefined, who: string): Enforcement | null {
  const value = object(kept?.read(name));
  const isEnforced = value['enforced'] === true;
  const [said, ageMs] = [text(value[isEnforced ? 'by' : 'reason']), Date.now() - (number(value['triedAt']) ?? 0)];
  // An age below zero: the clock was set back.
  const isOld = ageMs < 0 || ageMs > recentMs[isEnforced ? 'enforced' : 'not'];
  if (value['who'] !== who || isOld || said === null) return null;
  return isEnforced ? { enforced: true, by: said } : { enforced: false, reason: said };
}
