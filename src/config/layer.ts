/** Values from one source, with where each was written; and how sources are laid over each other. */
import type { SectionName } from './types.ts';

export interface Setting {
  readonly section: SectionName;
  readonly key: string;
  readonly value: unknown;
  readonly origin: string;
}

export interface Laid {
  /** Plain values by section and key, as the schema takes them. */
  readonly values: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Layer that gave each value, by dotted key. */
  readonly origins: Readonly<Record<string, string>>;
}

/** The last layer that has a key wins. */
export function lay(...layers: readonly (readonly Setting[])[]): Laid {
  const values: Record<string, Record<string, unknown>> = {};
  const origins: Record<string, string> = {};
  for (const { section, key, value, origin } of layers.flat()) {
    (values[section] ??= {})[key] = value;
    origins[`${section}.${key}`] = origin;
  }
  return { values, origins };
}

export function settingsOf(
  sections: Readonly<Record<string, unknown>>,
  origin: (section: string, key: string) => string,
): Setting[] {
  return Object.entries(sections).flatMap(([section, keys]) => {
    if (!isSection(section) || typeof keys !== 'object' || keys === null) return [];
    return Object.entries(keys)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]: [string, unknown]) => ({ section, key, value, origin: origin(section, key) }));
  });
}

const names: readonly string[] = [
  'terminal',
  'approvals',
  'hooks',
  'acp',
  'tool_loop_guardrails',
  'policy',
  'security',
  'network',
  'exec',
  'audit',
  'pool',
  'server',
  'discord',
  'email',
  'mattermost',
  'signal',
  'slack',
  'telegram',
  'whatsapp',
] satisfies SectionName[];

export function isSection(name: string): name is SectionName {
  return names.includes(name);
}
