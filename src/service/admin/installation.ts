/** What those who operate an installation ask for. */
import { backUp } from './backup.ts';
import type { RunningExecs } from '../exec/running-execs.ts';
import type { Figures, InstallationApi } from '../installation.ts';
import type { Context } from '../../sandbox/context.ts';
import { egressFigures } from '../../egress/tally.ts';
import { freeBytes } from '../../store/reserve.ts';
import { type StatusParts, statusOf } from '../watch/status.ts';

export function createInstallationApi(parts: StatusParts): InstallationApi {
  const { context, running } = parts;
  return {
    status: async () => await statusOf(parts),
    figures: async () => await readFigures(context, running),
    budgets: async () => await Promise.resolve(context.budgets.figures()),
    budget: (name) => context.budgets.of(name),
    backup: async (directory) => await backUp(context, directory),
  };
}

async function readFigures(
  { store, audit, gate, budgets, live, laneTally, home }: Context,
  running: RunningExecs,
): Promise<Figures> {
  const { sandboxes, processes, tokens, questions, webhooks, bytes, logBytes, writes } = await store.figures();
  const open = [...live.values()].reduce((sum, { lanes }) => sum + lanes, 0);
  return {
    sandboxes,
    processes,
    tokens,
    webhooks,
    store: { bytes, logBytes, writes },
    audit: audit.figures(),
    approvalsWaiting: questions,
    execsRunning: running.size,
    queue: gate.figures(),
    budgets: budgets.figures(),
    lanes: { open, lane: laneTally.lane, direct: laneTally.direct },
    egress: egressFigures(home),
    freeBytes: freeBytes(home),
  };
}
