/** The configuration in force, for people. */
import type { ConfigView } from '../types.ts';
import type { BackendKeys } from '../../config/backends.ts';
import { isSection } from '../../config/layer.ts';
import type { Loaded } from '../../config/types.ts';
import { keyNamed } from '../../plan/backend-keys.ts';
import { checkTaskId } from '../../values/task.ts';
import { shownServers } from './mcp-servers.ts';

type Entry = ReturnType<ConfigView['show']>[number];

function terminalOf(loaded: Loaded, task: string): readonly Entry[] {
  const { terminal, originOf } = loaded.forTask(task);
  return Object.entries(terminal).map(([key, value]: [string, unknown]) => {
    const known = keyNamed(terminal, key);
    return { key: `terminal.${key}`, value, origin: known === null ? 'default' : originOf(known) };
  });
}

function isOfNoTask({ key }: Entry): boolean {
  return !key.startsWith('terminal.') && key !== 'tasks';
}

export interface Configured {
  readonly loaded: Loaded;
  readonly backends: BackendKeys;
  /** Runs while no other process changes the file. */
  readonly alone: (work: () => Promise<void>) => Promise<void>;
}

export function configView({ loaded, backends, alone }: Configured, notices: readonly string[]): ConfigView {
  const shown = { ...loaded.config, mcp_servers: shownServers(loaded.config.mcp_servers) };
  const keys = Object.entries(shown).flatMap(([name, value]: [string, unknown]) =>
    isSection(name) && typeof value === 'object' && value !== null
      ? Object.entries(value).map(([key, inner]: [string, unknown]) => ({ key: `${name}.${key}`, value: inner }))
      : [{ key: name, value }],
  );
  return {
    home: loaded.home,
    notices,
    server: loaded.config.server,
    show: (task) => {
      const all = keys.map((entry) => ({ ...entry, origin: loaded.origins[entry.key] ?? 'default' }));
      return task === undefined ? all : [...terminalOf(loaded, checkTaskId(task)), ...all.filter(isOfNoTask)];
    },
    set: async (key, text) => {
      const { setInFile } = await import('../../config/edit.ts');
      await alone(() => setInFile(loaded.home, { key, text }, backends));
    },
    schema: async () => await (await import('../../config/json-schema.ts')).configSchema(backends),
  };
}
