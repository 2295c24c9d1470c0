/** Syncs of a directory between this host and a sandbox, with what is known about both. */
import type { Options } from '../api.ts';
import { isHost, untrustedOf } from './copy.ts';
import { sync } from '../../files/sync/sync.ts';
import type { SyncResult } from '../../files/sync/types.ts';
import type { SyncInput } from '../../files/tools/types.ts';
import type { Handle } from '../../sandbox/context.ts';
import { admitTree, type TreeDependencies } from './tree.ts';

export async function synced(
  parts: TreeDependencies,
  handle: Handle,
  { host, inside, direction, overwrite = false, confirmed = false, ...options }: SyncInput & Options,
): Promise<SyncResult> {
  const { context } = parts;
  const { row, sandbox } = handle;
  const [source, target] = direction === 'in' ? [host, inside] : [inside, host];
  const onHost = direction === 'out' || (await isHost(context, row.backend));
  const written = { source: `${source}/.`, target, onHost, confirmed };
  const wanted = { verb: 'sync', direction, inside, recorded: { source, target }, written } as const;
  const { vet, withheld } = await admitTree(parts, handle, { wanted, options });
  const place = { home: context.home, sandboxId: row.id, host, inside };
  const untrusted = untrustedOf(context, row);
  return await sync(sandbox, { ...place, direction, overwrite, untrusted, withheld, vet, signal: options.signal });
}
