/** Values as people write them, read into the units of the service. Each refusal names the option and shows the form. */
import { nearest } from '../lib/nearest.ts';
import { UsageError } from './usage.ts';

type Units = Readonly<Record<string, number>>;

const bytesPer: Units = { '': 1024 ** 2, k: 1024, m: 1024 ** 2, g: 1024 ** 3, t: 1024 ** 4 };
const msPer: Units = { '': 1000, ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** `512m`, `2g`, `1.5GiB`; a plain number is megabytes. Powers of 1024. */
export function readBytes(option: string, text: string): number {
  const bytes = readAmount(text, /^(\d{1,12}(?:\.\d{1,6})?)([kmgt]?)(?:i?b)?$/i, bytesPer);
  if (bytes === null) throw optionValueError(option, text, 'a size such as 512m or 2g');
  if (bytes === 0) throw optionValueError(option, text, 'a size above 0, such as 512m');
  return bytes;
}

/** `30s`, `5m`, `1h`, `250ms`; a plain number is seconds; `0` and `none` mean no limit: `null`. */
export function readDuration(option: string, text: string): number | null {
  if (text === 'none') return null;
  const durationMs = readAmount(text, /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h|d)?$/, msPer);
  if (durationMs === null) throw optionValueError(option, text, 'a time such as 30s, 5m or none');
  if (durationMs === 0 && /[1-9]/.test(text)) throw optionValueError(option, text, 'at least 1ms, or none');
  return durationMs === 0 ? null : durationMs;
}

const dayMs = 86_400_000;

/** A moment, as RFC 3339: `2h` (ago), `today` or `yesterday` (their beginning here), `2026-11-26`, or a whole time. */
export function readMoment(option: string, text: string, nowMs: number): string {
  const midnight = new Date(nowMs).setHours(0, 0, 0, 0);
  if (text === 'today') return new Date(midnight).toISOString();
  // Days of a change of the clock have 23 or 25 hours.
  if (text === 'yesterday') return new Date(new Date(midnight - dayMs / 2).setHours(0, 0, 0, 0)).toISOString();
  const agoMs = readAmount(text, /^(\d{1,9})(s|m|h|d)$/, msPer);
  if (agoMs !== null) return new Date(nowMs - agoMs).toISOString();
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00`) : null;
  const at = day ?? (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) ? new Date(text) : null);
  if (at === null || Number.isNaN(at.getTime()))
    throw optionValueError(
      option,
      text,
      'a moment such as 2h (ago), today, yesterday, 2026-11-26 or 2026-11-26T08:00:00Z',
    );
  return at.toISOString();
}

/** Cores, may be a fraction. */
export function readCores(option: string, text: string): number {
  const cores = /^\d{1,6}(\.\d{1,6})?$/.test(text) ? Number(text) : 0;
  if (cores === 0) throw optionValueError(option, text, 'a number of cores above 0, such as 2 or 0.5');
  return cores;
}

/** `KEY=VALUE` each; the value may be empty. What keys and values may hold is checked by the service. */
export function readLabels(option: string, texts: readonly string[]): Readonly<Record<string, string>> {
  const pairs = texts.map((text): readonly [string, string] => {
    const at = text.indexOf('=');
    if (at <= 0) throw optionValueError(option, text, 'KEY=VALUE');
    return [text.slice(0, at), text.slice(at + 1)];
  });
  return Object.fromEntries(pairs);
}

export function readCount(option: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw optionValueError(option, text, 'a whole number, 0 or more');
  return Number(text);
}

export function readChoice<const Choice extends string>(
  option: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const chosen = choices.find((choice) => choice === text);
  if (chosen !== undefined) return chosen;
  const near = nearest(text, choices);
  throw optionValueError(option, text, `${choices.join(' or ')}${near === null ? '' : `; did you mean ${near}?`}`);
}

/** `null` when the text has another form, or is too large to be exact. */
function readAmount(text: string, form: RegExp, units: Units): number | null {
  const match = form.exec(text);
  if (match === null) return null;
  const amount = Math.round(Number(match[1]) * (units[(match[2] ?? '').toLowerCase()] ?? Number.NaN));
  return Number.isSafeInteger(amount) ? amount : null;
}

function optionValueError(option: string, text: string, expected: string): UsageError {
  return new UsageError(`${option} ${text}: expected ${expected}`);
}
