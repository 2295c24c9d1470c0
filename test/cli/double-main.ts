/** The command line on this process and the double, for tests that need a process of its own. */
import { invoke } from '../../src/cli/invoke.ts';
import { realWorld } from '../../src/cli/main.ts';
import { configFile } from './double-data.ts';
import { Double } from './double.ts';

const { DOUBLE_LOG: logFile, DOUBLE_DELAY: delay } = process.env;
const double = new Double({
  ...(logFile === undefined ? {} : { logFile }),
  ...(delay === undefined ? {} : { createDelayMs: Number(delay) }),
  sandboxes: [{ taskId: 'build', createdAt: '2026-01-01T00:00:00Z' }],
});
const opened = (): Promise<Double> => Promise.resolve(double);
process.exitCode = await invoke(
  process.argv.slice(2),
  realWorld({
    open: opened,
    line: () => Promise.resolve(null),
    embedded: opened,
    settings: opened,
    configFile: () => Promise.resolve(configFile),
  }),
);
