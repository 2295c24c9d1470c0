/** Numbers and times as people read them. */

export function formatBytes(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${Number(value.toFixed(1))} ${units[unit] ?? ''}`;
}

export function formatDuration(durationMs: number): string {
  if (durationMs < 1000) return `${Math.round(durationMs)} ms`;
  if (durationMs < 60_000) return `${Math.round(durationMs / 100) / 10} s`;
  const minutes = Math.floor(durationMs / 60_000);
  if (minutes < 60) return pair(minutes, 'min', Math.floor((durationMs % 60_000) / 1000), 's');
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? pair(hours, 'h', minutes % 60, 'min') : pair(Math.floor(hours / 24), 'd', hours % 24, 'h');
}

/** How long ago a time of the service was; the text itself when it cannot be read as a time. */
export function formatAge(time: string, nowMs: number): string {
  const at = Date.parse(time);
  const seconds = Math.max(0, Math.floor((nowMs - at) / 1000));
  return Number.isNaN(at) ? time : seconds === 0 ? '0 s' : formatDuration(seconds * 1000);
}

const ageUnits = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

/** `11m`, for columns: the largest unit alone. */
export function shortDuration(durationMs: number): string {
  const seconds = Math.max(0, Math.floor(durationMs / 1000));
  const [unit, each] = ageUnits.find(([, least]) => seconds >= least) ?? ['s', 1];
  return `${Math.floor(seconds / each)}${unit}`;
}

export function shortAge(time: string, nowMs: number): string {
  const at = Date.parse(time);
  return Number.isNaN(at) ? time : shortDuration(nowMs - at);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** A value of the service by its name: sizes in units, everything else as it is. */
export function formatNamed(name: string, value: string | number | boolean): string {
  return typeof value === 'number' && name.endsWith('Bytes') ? formatBytes(value) : String(value);
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`;
}
