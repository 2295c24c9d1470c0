import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sourceOf } from '../../src/config/source.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { openCaisson } from '../../src/main.ts';
import { lostDoors } from '../../src/sandbox/garbage.ts';
import { EgressDoors } from '../../src/egress/doors.ts';
import { doorOf, logOf, makeDoor } from '../../src/egress/places.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import { newRow, spec } from '../store/rows.ts';

let home = '';
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'caisson-'))));
afterEach(() => rmSync(home, { recursive: true }));

const [lost, logged, rotated] = ['sbx_00000000000000aa', 'sbx_00000000000000bb', 'sbx_00000000000000cc'] as const;

/** Leaves doors and logs of a sandbox that is on record, of three that are not, and an unrelated file. */
async function leave(known: string): Promise<void> {
  for (const id of [known, lost]) {
    await makeDoor(home, id);
    writeFileSync(logOf(home, id), '{}\n');
  }
  writeFileSync(logOf(home, logged), '{}\n');
  writeFileSync(`${logOf(home, rotated)}.1`, '{}\n');
  writeFileSync(join(home, 'egress/log/notes'), '');
}

const paths = (): readonly string[] => [doorOf(home, lost), logOf(home, logged), `${logOf(home, rotated)}.1`];

async function opened() {
  const { store } = await openStore(join(home, 'caisson.db'), { clock: systemClock });
  const row = newRow({ id: 'sbx_00000000000000dd', spec: { ...spec, network: 'filtered' } });
  await store.sandboxes.insert(row);
  await leave(row.id);
  return { store, row };
}

describe('what a filtered network leaves when the record of its sandbox is lost', () => {
  it('is found and removed, and what is on record stays', async () => {
    const { store, row } = await opened();
    const reading = { lists: { allow: [], deny: [], ports: [], presets: [] }, source: sourceOf(null), later: null };
    const audit = { recordSoon: (): void => undefined };
    const doors = new EgressDoors({ home, env: {}, store, audit, reading: () => reading, asks: () => false });
    const wayOut = { left: () => doors.left(), remove: (id: string) => doors.close(id) };
    const garbage = await lostDoors({ store, wayOut });
    expect(garbage.map(({ name }) => name).sort()).toEqual([...paths()].sort());
    for (const { remove } of garbage) await remove();
    expect(readdirSync(join(home, 'egress/doors'))).toEqual([row.id]);
    expect(readdirSync(join(home, 'egress/log')).sort()).toEqual(['notes', `${row.id}.ndjson`]);
    await store.close();
  });

  it('is listed by `gc --dry-run`, which removes nothing, and removed by `gc`', async () => {
    const { store } = await opened();
    await store.close();
    const caisson = await openCaisson({ home, env: {}, cwd: home });
    const names = async (dryRun: boolean): Promise<readonly string[]> =>
      (await caisson.sandboxes.gc({ dryRun })).filter(({ kind }) => kind === 'directory').map(({ name }) => name);
    expect([...(await names(true))].sort()).toEqual([...paths()].sort());
    expect(paths().every((path) => existsSync(path))).toBe(true);
    expect([...(await names(false))].sort()).toEqual([...paths()].sort());
    expect(paths().some((path) => existsSync(path))).toBe(false);
    expect(await names(true)).toEqual([]);
    await caisson.close();
  });
});
