/** Numbers for people. Pure. */
const steps: readonly (readonly [unit: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
];

/** `3 h 12 min`: two units at most; under a second, milliseconds. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const first = steps.findIndex(([, size]) => ms >= size);
  const [unit, size] = steps[first] ?? ['s', 1000];
  const [nextUnit, nextSize] = steps[first + 1] ?? [null, 1];
  const rest = Math.floor((ms % size) / nextSize);
  const head = `${Math.floor(ms / size)} ${unit}`;
  return nextUnit === null || rest === 0 ? head : `${head} ${rest} ${nextUnit}`;
}

/** `4:59`, for a countdown. */
export function clockText(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const rest = String(seconds % 60).padStart(2, '0');
  return minutes < 60
    ? `${minutes}:${rest}`
    : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}:${rest}`;
}

const sizes = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

export function bytesText(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(sizes.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${sizes[step] ?? 'B'}`;
}

export const agoText = (at: string, nowMs: number): string => durationText(Math.max(0, nowMs - Date.parse(at)));

/** `25 %`, of one core. */
export const percentText = (cores: number): string => `${Math.round(cores * 1000) / 10} %`;

/** `25 % of a core`, `2.5 cores`. */
export const coresText = (cores: number): string =>
  cores < 1 ? `${percentText(cores)} of a core` : `${Math.round(cores * 100) / 100} cores`;
