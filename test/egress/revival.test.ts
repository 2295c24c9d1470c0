import { connect } from 'node:net';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { sourceOf } from '../../src/config/source.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { EgressDoors } from '../../src/egress/doors.ts';
import { doorOf, outputOf, withShortPath } from '../../src/egress/places.ts';
import { pauseBeforeStart, recentStarts } from '../../src/egress/revival.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import { proxyPid } from './proxy-pid.ts';
import { restOf } from './door/world.ts';
import { newRow, spec } from '../store/rows.ts';

let home = '';
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'caisson-'))));
afterEach(() => rmSync(home, { recursive: true }));

async function answerOf(sandboxId: string): Promise<string> {
  return await withShortPath(doorOf(home, sandboxId), 'door', async (path) => {
    const socket = connect(path).on('error', () => undefined);
    socket.write('GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n');
    return await restOf(socket);
  });
}

async function opened() {
  const { store } = await openStore(join(home, 'caisson.db'), { clock: systemClock });
  const row = newRow({ spec: { ...spec, network: 'filtered' } });
  await store.sandboxes.insert(row);
  const reading = { lists: { allow: [], deny: [], ports: [], presets: [] }, source: sourceOf(null), later: null };
  const audit = { recordSoon: (): void => undefined };
  const doors = new EgressDoors({ home, env: {}, store, audit, reading: () => reading, asks: () => false });
  await doors.open(row);
  const kill = (): number => {
    const pid = proxyPid(home);
    if (pid === null) throw new Error('there is no proxy');
    process.kill(pid, 'SIGKILL');
    return pid;
  };
  return {
    store,
    doors,
    row,
    kill,
    [Symbol.asyncDispose]: async () => {
      await store.sandboxes.delete(row.id).catch(() => undefined);
      doors.release();
      const pid = proxyPid(home);
      if (pid !== null) process.kill(pid, 'SIGTERM');
      await vi.waitFor(() => expect(proxyPid(home)).toBe(null), 15_000);
      await store.close();
    },
  };
}

describe('an egress proxy that was killed', () => {
  it('is started again while a sandbox needs it, without another use of the sandbox', { timeout: 60_000 }, async () => {
    await using here = await opened();
    for (let each = 0; each < 2; each += 1) {
      const killed = here.kill();
      await vi.waitFor(async () => expect(await answerOf(here.row.id)).toContain('(no rule)'), 20_000);
      expect(proxyPid(home)).not.toBe(killed);
    }
  });

  it('is started for a use that comes while an earlier start is failing', { timeout: 60_000 }, async () => {
    await using here = await opened();
    const config = join(home, 'config.yaml');
    writeFileSync(config, 'network: broken', { mode: 0o600 });
    here.kill();
    await vi.waitFor(() => expect(readFileSync(outputOf(home), 'utf8')).toContain('network'), {
      timeout: 20_000,
      interval: 1,
    });
    rmSync(config);
    await here.doors.open(here.row);
    expect(await answerOf(here.row.id)).toContain('(no rule)');
  });

  it('stays away where no sandbox needs it, or the process that used it has closed', { timeout: 60_000 }, async () => {
    await using here = await opened();
    here.doors.release();
    here.kill();
    await sleep(2000);
    expect(proxyPid(home)).toBe(null);
    await using other = await opened();
    await other.store.sandboxes.delete(other.row.id);
    other.kill();
    await sleep(2000);
    expect(proxyPid(home)).toBe(null);
  });
});

describe('the pause before a start', () => {
  it('is zero for three starts in a minute, and grows to half a minute', () => {
    const pauses = Array.from({ length: 10 }, (_, count) => pauseBeforeStart(Array.from({ length: count }, () => 0)));
    expect(pauses).toEqual([0, 0, 0, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]);
  });

  it('forgets starts of more than a minute ago', () => {
    expect(recentStarts([0, 10_000, 59_999], 60_000)).toEqual([10_000, 59_999]);
  });
});
