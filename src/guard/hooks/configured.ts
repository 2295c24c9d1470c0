/** Hooks as the configuration has them. */
import type { Config } from '../../config/types.ts';
import type { Hook, Hooks } from './types.ts';

type Written = Config['hooks']['pre_tool_call'][string][number];

const defaultTimeoutSeconds = 60;

export function hooksOf({ hooks }: Pick<Config, 'hooks'>): Hooks {
  return Object.fromEntries(Object.entries(hooks.pre_tool_call).map(([tool, scripts]) => [tool, scripts.map(hookOf)]));
}

/** A hook that fails refuses what it could not look at, unless it is said otherwise. */
function hookOf(written: Written): Hook {
  const {
    command,
    timeout = defaultTimeoutSeconds,
    fail_closed: failClosed = true,
  } = typeof written === 'string' ? { command: written } : written;
  return { command: typeof command === 'string' ? [command] : command, timeoutMs: timeout * 1000, failClosed };
}
