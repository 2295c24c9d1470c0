/** The configuration in force, for people. */
import type { ConfigView } from '../types.ts';
import type { BackendKeys } from '../../config/backends.ts';
import { isSection } from '../../config/layer.ts';
import type { Loaded } from '../../config/types.ts';
import { shownServers } from './mcp-servers.ts';

export function configView(loaded: Loaded, backends: BackendKeys, notices: readonly string[]): ConfigView {
  const shown = { ...loaded.config, mcp_servers: shownServers(loaded.config.mcp_servers) };
  const keys = Object.entries(shown).flatMap(([name, value]: [string, unknown]) =>
    isSection(name) && typeof value === 'object' && value !== null
      ? Object.entries(value).map(([key, inner]: [string, unknown]) => ({ key: `${name}.${key}`, value: inner }))
      : [{ key: name, value }],
  );
  return {
    home: loaded.home,
    notices,
    show: () => keys.map((entry) => ({ ...entry, origin: loaded.origins[entry.key] ?? 'default' })),
    schema: async () => await (await import('../../config/json-schema.ts')).configSchema(backends),
  };
}
