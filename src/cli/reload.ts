/** Lines for people about the configuration that was read again. */
import type { ConfigView } from '../service/api.ts';

type Reloaded = Awaited<ReturnType<ConfigView['reload']>>;

export const reloadLines = ({ changed, needsRestart }: Reloaded): readonly string[] => [
  `configuration read again: ${changed.length === 0 ? 'nothing has changed' : changed.join(', ')}`,
  ...(needsRestart.length === 0 ? [] : [`needs a restart: ${needsRestart.join(', ')}`]),
];
