/**
 * Keys of the configuration that carry a backend's name: `NAME_image`, `NAME_network`. This room knows no backend, so
 * it asks for them by name and takes an absent key for "this backend has no such setting".
 */
import type { Terminal } from '../config/types.ts';

export function textKey(terminal: Terminal, key: string): string | null {
  const value = valueOf(terminal, key);
  return typeof value === 'string' ? value : null;
}

export function flagOf(terminal: Terminal, key: string, otherwise: boolean): boolean {
  const value = valueOf(terminal, key);
  return typeof value === 'boolean' ? value : otherwise;
}

export function namesOf(terminal: Terminal, key: string): readonly string[] {
  const value = valueOf(terminal, key);
  return Array.isArray(value) ? [...new Set(value.filter((name): name is string => typeof name === 'string'))] : [];
}

/** Texts by name. */
export function textsOf(terminal: Terminal, key: string): Readonly<Record<string, string>> {
  const value = valueOf(terminal, key);
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}

/** Host variables that any backend passes on to commands: their values are secrets on all of them. */
export function forwardedNames(terminal: Terminal): readonly string[] {
  const keys = Object.keys(terminal).filter((key) => key.endsWith('_forward_env'));
  return [...new Set([...keys.flatMap((key) => namesOf(terminal, key)), ...terminal.env_passthrough])];
}

/** Whether commands of a backend on this host inherit its environment, and not only who and where. */
export function inheritsHost(terminal: Terminal): boolean {
  return Object.keys(terminal).some((key) => key.endsWith('_environment') && textKey(terminal, key) === 'host');
}

const factors: Readonly<Record<string, number>> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };

/** `67108864`, `"64m"`; the units are powers of 1024, as engines have them. */
export function bytesOf(terminal: Terminal, key: string): number | null {
  const value = valueOf(terminal, key);
  if (typeof value === 'number') return value;
  const parts = typeof value === 'string' ? /^(\d+)([bkmg]?)$/i.exec(value) : null;
  if (parts === null) return null;
  return Number(parts[1]) * (factors[(parts[2] ?? '').toLowerCase() || 'b'] ?? 1);
}

/** The key as `originOf` takes it, or `null` when it has no value. */
export function keyNamed(terminal: Terminal, key: string): keyof Terminal | null {
  return isKey(terminal, key) ? key : null;
}

function isKey(terminal: Terminal, key: string): key is keyof Terminal {
  return Object.hasOwn(terminal, key);
}

/** `undefined` where the backend has no such key. */
export function valueOf(terminal: Terminal, key: string): unknown {
  return Object.hasOwn(terminal, key) ? Reflect.get(terminal, key) : undefined;
}
