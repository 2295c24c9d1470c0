/** Who waits for an answer, and who has one, as a table. */
import type { PairedView, PendingView } from '../service/api.ts';
import { escapeLine } from './escape.ts';
import { formatAge } from './format.ts';

export const pairingHead = ['PLATFORM', 'USER', 'NAME', 'STATE', 'SINCE', 'BY'];

export function pendingRow({ platform, ids, name, askedAt }: PendingView, nowMs: number): readonly string[] {
  return [platform, ids.join(' '), name ?? '-', 'waiting', `${formatAge(askedAt, nowMs)} ago`, '-'];
}

export function pairedRow({ platform, ids, name, pairedAt, by }: PairedView, nowMs: number): readonly string[] {
  return [platform, ids.join(' '), name ?? '-', 'paired', `${formatAge(pairedAt, nowMs)} ago`, by];
}

/** One line for a script: platform and first id. */
export const pairingLine = ({ platform, ids }: PairedView | PendingView): string =>
  `${escapeLine(`${platform} ${ids[0] ?? ''}`)}\n`;
