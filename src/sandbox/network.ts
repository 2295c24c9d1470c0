/** A sandbox that is to have no network, or nothing but a door, is looked at before its first command. */
import type { Sandbox } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import type { SandboxRow } from '../store/store.ts';
import { placedMode } from '../values/network-modes.ts';
import type { Context } from './context.ts';
import { isFilteredByPlace } from '../egress/way-out.ts';
import { type Effective, parseNetwork } from './effective.ts';
import { measuredAnew } from './measure.ts';

/**
 * Throws `not_supported` where the place has given it a network all the same, as the tier of an account may. The caller ends
 * the sandbox then. What cannot be measured proves nothing.
 */
export async function proveNetwork(context: Context, row: SandboxRow, sandbox: Sandbox): Promise<void> {
  const wanted = placedMode(row.spec.network);
  if (wanted === 'open' || isFilteredByPlace(row)) return;
  const { network, noneBy } = await (await context.backend(row.backend)).guarantees();
  if (!network.includes(wanted) || noneBy === 'filter') return;
  const seen = await networkOf(context, row, sandbox);
  if (seen?.routed !== true) return;
  throw new CaissonError(
    'not_supported',
    `${row.backend} gave the sandbox of ${row.taskId} a network route, although ${wanted === 'none' ? 'no network' : 'one door alone'} was requested`,
    {
      remedy: 'look whether the account or the host overrides network settings, or ask for --network open',
      details: { taskId: row.taskId, sandboxId: row.id, backend: row.backend, interfaces: seen.interfaces.join(', ') },
    },
  );
}

type Seen = Pick<Effective, 'interfaces' | 'routed'>;

/** The kernel of this host answers in less than a millisecond, and a command in the sandbox in tens of them. */
async function networkOf(context: Context, row: SandboxRow, sandbox: Sandbox): Promise<Seen | null> {
  const tables = (await sandbox.controls?.network()) ?? null;
  const seen = tables === null ? null : parseNetwork(tables);
  return seen === null || seen.routed === null ? await measuredAnew(context, row, sandbox) : seen;
}
