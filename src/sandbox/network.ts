/** A sandbox that is to have no network, or nothing but a door, is measured before its first command. */
import type { Sandbox } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import type { SandboxRow } from '../store/store.ts';
import { placedMode } from '../values/network-modes.ts';
import type { Context } from './context.ts';
import { isFilteredByPlace } from '../egress/way-out.ts';
import { measured } from './measure.ts';

/**
 * Throws `not_supported` where the place has given it a network all the same, as the tier of an account may. The caller ends
 * the sandbox then. What cannot be measured proves nothing.
 */
export async function proveNetwork(context: Context, row: SandboxRow, sandbox: Sandbox): Promise<void> {
  const wanted = placedMode(row.spec.network);
  if (wanted === 'open' || isFilteredByPlace(row)) return;
  const { network, noneBy } = await (await context.backend(row.backend)).guarantees();
  if (!network.includes(wanted) || noneBy === 'filter') return;
  const effective = await measured(context, { ...row, effective: null }, sandbox);
  if (effective?.['routed'] !== true) return;
  throw new CaissonError(
    'not_supported',
    `${row.backend} gave the sandbox of ${row.taskId} a network route, although ${wanted === 'none' ? 'no network' : 'one door alone'} was requested`,
    {
      remedy: 'look whether the account or the host overrides network settings, or ask for --network open',
      details: { taskId: row.taskId, sandboxId: row.id, backend: row.backend, interfaces: interfacesOf(effective) },
    },
  );
}

function interfacesOf({ interfaces }: NonNullable<SandboxRow['effective']>): string {
  return Array.isArray(interfaces) ? interfaces.map(String).join(', ') : '';
}
