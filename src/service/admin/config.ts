/** The configuration in force, for people. */
import type { Audit } from '../../audit/types.ts';
import type { SettingsApi } from '../api.ts';
import type { ConfigView } from '../types.ts';
import type { BackendKeys } from '../../config/backends.ts';
import { entriesOf } from '../../config/live.ts';
import type { Loaded } from '../../config/types.ts';
import { keyNamed } from '../../plan/backend-keys.ts';
import { checkTaskId } from '../../values/task.ts';
import { shownWebhooks } from '../webhooks/open.ts';
import { configEntry } from './config-entry.ts';
import { shownServers } from './mcp-servers.ts';

const longestKey = 200;

type Entry = Awaited<ReturnType<ConfigView['show']>>[number];

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

/** Without secrets. */
function shownOf({ config }: Loaded): object {
  const { mcp_servers: servers, webhooks } = config;
  return { ...config, mcp_servers: shownServers(servers), webhooks: shownWebhooks(webhooks) };
}

export interface Configured {
  readonly loaded: Loaded;
  readonly backends: BackendKeys;
}

export interface Changeable extends Configured {
  /** Runs while no other process changes the file. */
  readonly alone: (work: () => Promise<void>) => Promise<void>;
  readonly reload: ConfigView['reload'];
  readonly audit: Pick<Audit, 'record'>;
}

export function configView(
  { alone, reload, audit, ...configured }: Changeable,
  notices: readonly string[],
): ConfigView {
  const { loaded, backends } = configured;
  return {
    ...configLook(configured, notices),
    reload,
    set: async (key, text) => {
      const { setInFile } = await import('../../config/edit.ts');
      const before = async (): Promise<void> => await audit.record(configEntry('set', [key.slice(0, longestKey)]));
      await alone(() => setInFile(loaded.home, { key, text, before }, backends));
    },
    create: async (text) => {
      const { createFile } = await import('../../config/edit.ts');
      await alone(() => createFile(loaded.home, text, backends));
    },
  };
}

export function configLook({ loaded, backends }: Configured, notices: readonly string[]): SettingsApi['config'] {
  return {
    home: loaded.home,
    notices,
    server: loaded.config.server,
    show: async (task) => {
      const all = entriesOf(shownOf(loaded)).map(([key, value]) => ({
        ...{ key, value },
        origin: loaded.origins[key] ?? 'default',
      }));
      return task === undefined ? all : [...terminalOf(loaded, checkTaskId(task)), ...all.filter(isOfNoTask)];
    },
    schema: async () => await (await import('../../config/json-schema.ts')).configSchema(backends),
  };
}
