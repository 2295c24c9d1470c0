/** The keys that backends add to the configuration. */
import type { BackendConfig, BackendEntry } from '../backend.ts';

/** What the backends add to the section `terminal`. */
export interface BackendKeys {
  /** `terminal.backend`, unless another one is chosen. */
  readonly usual: string;
  /** Keys of each backend, by its name. */
  readonly configs: Readonly<Record<string, BackendConfig>>;
}

export function backendKeys(
  usual: string,
  entries: Readonly<Record<string, Pick<BackendEntry, 'config'>>>,
): BackendKeys {
  const configs = Object.entries(entries).flatMap(([name, { config }]) =>
    config === undefined ? [] : [[name, config] as const],
  );
  return { usual, configs: Object.fromEntries(configs) };
}

/** Variables that keys of the backends stand for. */
export function variablesOf(
  terminal: Readonly<Record<string, unknown>>,
  { configs }: Pick<BackendKeys, 'configs'>,
): Readonly<Record<string, string>> {
  const all = Object.entries(configs).flatMap(([backend, { defaults, variables }]) => {
    const settings = Object.keys(defaults).map((key) => [key, terminal[backendKey(backend, key)]] as const);
    return variables === undefined ? [] : Object.entries(variables(Object.fromEntries(settings)));
  });
  return Object.fromEntries(all);
}

/** `terminal.NAME_KEY` of a backend. */
export function backendKey(backend: string, key: string): string {
  return `${backend.replaceAll('-', '_')}_${key}`;
}
