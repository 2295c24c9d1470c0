/** Whether the engine holds the writable layer of a container to a size. Bound directories are outside of it in any case. */
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Enforcement } from '../../../src/backend.ts';
import type { Engine } from '../engine/engine.ts';
import type { Facts } from '../engine/facts.ts';
import { isAway } from '../engine/fault.ts';
import { object, text } from '../engine/json.ts';
import { linesOf } from '../engine/lines.ts';

const reach =
  'of the container itself; bound directories (/workspace and /root of a persistent sandbox) are not covered';

export async function findDiskLimit(engine: Engine, facts: Facts): Promise<Enforcement> {
  const decision = decide(facts);
  if (decision !== 'try') return decision;
  return (await tryDiskLimit(engine))
    ? { enforced: true, by: `overlay2 on xfs with project quota, ${reach}` }
    : { enforced: false, reason: 'overlay2 only limits disk space on xfs mounted with pquota' };
}

/** From the driver alone where that is enough. overlay2 on xfs depends on a mount option that the engine does not tell. */
export function decide(facts: Pick<Facts, 'storageDriver' | 'backingFilesystem'>): Enforcement | 'try' {
  const driver = facts.storageDriver ?? 'unknown';
  const lapses = driver === 'btrfs' ? ', as long as btrfs counts right (see doctor)' : '';
  if (driver === 'btrfs' || driver === 'zfs') return { enforced: true, by: `${driver} quota${lapses}, ${reach}` };
  if (driver === 'overlay2' && facts.backingFilesystem === 'xfs') return 'try';
  const where = facts.backingFilesystem === null ? '' : ` on ${facts.backingFilesystem}`;
  return {
    enforced: false,
    reason: `the storage driver ${driver}${where} has no disk limits; overlay2 on xfs with pquota, btrfs and zfs have`,
  };
}

/** Makes a container from an empty image, never starts it, and removes both. */
async function tryDiskLimit(engine: Engine): Promise<boolean> {
  const name = `caisson-probe-${randomBytes(6).toString('hex')}`;
  try {
    await makeEmptyImage(engine, name);
    const body = {
      Image: name,
      Cmd: ['/probe'],
      HostConfig: { NetworkMode: 'none', StorageOpt: { size: '67108864' } },
    };
    const container = text(
      object(
        await engine.ask({
          what: 'try a disk limit',
          method: 'POST',
          path: '/containers/create',
          query: { name },
          body,
        }),
      )['Id'],
    );
    if (container)
      await engine.ask({
        what: 'end the trial',
        method: 'DELETE',
        path: `/containers/${container}`,
        query: { force: true, v: true },
      });
    return container !== null;
  } catch (error) {
    if (isAway(error)) throw error;
    return false;
  } finally {
    // Left behind only when the engine went away, which the caller hears of.
    await engine.ask({ what: 'end the trial', method: 'DELETE', path: `/images/${name}` }).catch(() => {});
  }
}

async function makeEmptyImage(engine: Engine, name: string): Promise<void> {
  // An empty tar is two blocks of zeros.
  const upload = Readable.from([Buffer.alloc(1024)]);
  const answer = await engine.open({
    what: 'try a disk limit',
    method: 'POST',
    path: '/images/create',
    query: { fromSrc: '-', repo: name },
    upload,
  });
  for await (const _line of linesOf(answer));
}
