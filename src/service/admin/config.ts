/** The configuration in force, for people. */
import type { SettingsApi } from '../api.ts';
import type { ConfigFile, ConfigView } from '../types.ts';
import type { BackendKeys } from '../../config/backends.ts';
import { entriesOf } from '../../config/live.ts';
import type { Loaded } from '../../config/types.ts';
import { keyNamed } from '../../plan/backend-keys.ts';
import { checkTaskId } from '../../values/task.ts';
import { shownWebhooks } from '../webhooks/open.ts';
import { shownServers } from './mcp-servers.ts';

type Entry = Awaited<ReturnType<ConfigView['show']>>[number];

function terminalOf(loaded: Loaded, task: string): readonly Entry[] {
  const { terminal, originOf } = loaded.forTask(task);
  return Object.entries(terminal).map(([key, value]: [string, unknown]) => {
    const known = keyNamed(terminal, key);
    return {
      key: `terminal.${key}`,
      value: shownValue(key, value),
      origin: known === null ? 'default' : originOf(known),
    };
  });
}

function isOfNoTask({ key }: Entry): boolean {
  return !key.startsWith('terminal.') && key !== 'tasks';
}

/** Variables with their values, such as `docker_env`, are shown by their names: a value may be a secret. */
const shownValue = (key: string, value: unknown): unknown =>
  /_env$/.test(key) && typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.keys(value)
    : value;

/** Without secrets. */
function shownOf({ config }: Loaded): object {
  const { mcp_servers: servers, webhooks } = config;
  const terminal = Object.fromEntries(
    Object.entries(config.terminal).map(([key, value]: [string, unknown]) => [key, shownValue(key, value)]),
  );
  return { ...config, terminal, mcp_servers: shownServers(servers), webhooks: shownWebhooks(webhooks) };
}

export interface Configured {
  readonly loaded: Loaded;
  readonly backends: BackendKeys;
  readonly notices: readonly string[];
}

export interface Changeable extends Configured {
  readonly file: Pick<ConfigFile, 'set' | 'create'>;
  readonly reload: ConfigView['reload'];
  readonly pending: ConfigView['pending'];
}

export function configView({ file, reload, pending, ...configured }: Changeable): ConfigView {
  const { set, create } = file;
  return { ...configLook(configured), set, create, reload, pending };
}

export function configLook({ loaded, backends, notices }: Configured): SettingsApi['config'] {
  return {
    home: loaded.home,
    notices,
    server: loaded.config.server,
    show: async (task) => {
      const all = entriesOf(shownOf(loaded)).map(([key, value]) => ({
        key,
        value,
        origin: loaded.origins[key] ?? 'default',
      }));
      return task === undefined ? all : [...terminalOf(loaded, checkTaskId(task)), ...all.filter(isOfNoTask)];
    },
    schema: async () => await (await import('../../config/json-schema.ts')).configSchema(backends),
  };
}
