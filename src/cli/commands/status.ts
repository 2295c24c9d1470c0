import type { Status } from '../../service/api.ts';
import { defineCommand } from '../command.ts';
import type { Context } from '../context.ts';
import { wrapped } from '../help.ts';
import { screenWidth } from '../screen.ts';
import { type ServiceState, stateOfService } from '../service-state.ts';
import { statusLines } from '../status-lines.ts';

export const status = defineCommand({
  name: 'status',
  summary: 'Tell whether all is well: service, backends, disk, sandboxes, records',
  about: `What a person should look at comes first, the worst at the top, each with what can be done. Then the
facts: the service and whether the configuration file is newer than what it has read, backends that are
in use, space and inodes, sandboxes by state, commands of the last day, questions, the egress proxy,
webhooks, budgets, and up to where the audit was verified.

Exits with 0 when all is well, 1 when something needs a look, and 3 when something that is used does not
work.`,
  operands: [],
  runs: false,
  exitsAsCommand: false,
  options: {},
  examples: [
    ['at one look', 'status'],
    ['for a script, by its exit code', 'status -q'],
    ['for a program', 'status -o json'],
  ],
  run: async (_given, context) => {
    const service = stateOfService(await context.home());
    const found = await (await context.service()).installation.status();
    await show(found, service, context);
    return exitCodes[found.level];
  },
});

const exitCodes: Readonly<Record<Status['level'], number>> = { well: 0, attention: 1, broken: 3 };

async function show(found: Status, service: ServiceState, context: Context): Promise<void> {
  if (context.json) await context.printJson({ ...found, service: shownService(service) });
  else if (!context.quiet)
    await context.print(
      wrapped(
        statusLines(found, service, { nowMs: context.world.nowMs(), paint: context.paint })
          .map((line) => `${line}\n`)
          .join(''),
        screenWidth(context.world),
      ),
    );
}

/** Without the token that stands in the record. */
function shownService(service: ServiceState): object {
  if (service.at === 'none') return { at: 'none' };
  const { pid, url, version } = service.record;
  return { at: service.at, pid, url, version };
}
