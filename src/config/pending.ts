/** Compares the file with what was read of it: what holds already, and what waits for a reload or a restart. Pure. */
import { narrower } from '../values/network-modes.ts';
import { stricterMode } from '../values/tool-modes.ts';
import { allowedIn, beyond, type Entry, forbiddenIn, modesIn, networkEntries, textOf } from './forbidden.ts';
import { changeOf } from './live.ts';
import type { Pending } from './pending-view.ts';
import type { Config, Loaded } from './types.ts';

export const nothingPending: Pending = { holds: [], loosens: [], reload: [], restart: [], problem: null };

type ReadConfig = Pick<Loaded, 'config' | 'origins'>;

export interface PendingState {
  /** The configuration that was read last. */
  readonly now: ReadConfig;
  /** Entries that the process itself has added to `command_allowlist` since then. */
  readonly added: readonly string[];
  /** States of the file whose rules hold beside it. */
  readonly edits: readonly Pick<ReadConfig, 'config'>[];
}

export function pendingOf({ now, added, edits }: PendingState, file: ReadConfig): Pending {
  const before = { ...now, config: withAdded(now.config, added, file.config) };
  const { changed, needsRestart } = changeOf(before, file);
  const held = [now, ...edits].flatMap(({ config }) => forbiddenIn(config));
  const gone = beyond(held, forbiddenIn(file.config));
  const isNew = beyond(allowsOf(file.config), allowsOf(before.config));
  return {
    holds: beyond(forbiddenIn(file.config), forbiddenIn(now.config)).map(textOf),
    loosens: [
      ...new Set(gone.map(({ key, text }) => `${key}: without ${text}`)),
      ...isNew.map(textOf),
      ...milderModes(now.config, file.config),
      ...widerNetworks(now.config, file.config),
    ],
    reload: changed,
    restart: needsRestart,
    problem: null,
  };
}

/** Entries that an answer "always" has written to the file hold already. */
function withAdded(config: Config, added: readonly string[], file: Config): Config {
  const own = added.filter((rule) => file.command_allowlist.includes(rule));
  return { ...config, command_allowlist: [...new Set([...config.command_allowlist, ...own])] };
}

const allowsOf = (config: Config): readonly Entry[] => [
  ...allowedIn(config),
  ...config.command_allowlist.map((text) => ({ key: 'command_allowlist', text })),
  ...networkEntries(config, 'allow'),
  ...networkEntries(config, 'presets'),
  ...networkEntries(config, 'ports'),
];

function milderModes(now: Config, file: Config): readonly string[] {
  const before = new Map(modesIn(now).map(({ key, mode }) => [key, mode]));
  const after = new Map(modesIn(file).map(({ key, mode }) => [key, mode]));
  return [...before].flatMap(([key, mode]) => {
    const next = after.get(key) ?? file.approvals.tool_mode;
    return next !== mode && stricterMode(next, mode) === mode ? [`${key}: ${next}`] : [];
  });
}

function widerNetworks({ network: { mode } }: Config, { network: { mode: next } }: Config): readonly string[] {
  const isWider = next !== null && next !== mode && (mode === null || narrower(next, mode) === mode);
  return isWider ? [`network.mode: ${next}`] : [];
}
