/** Several real processes on one store. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/sqlite/open.ts';
import { HolderProcess, scratch } from './scratch.ts';

async function pair(database: string): Promise<[HolderProcess, HolderProcess]> {
  const both: [HolderProcess, HolderProcess] = [new HolderProcess(database), new HolderProcess(database)];
  await Promise.all(both.map((each) => each.answer()));
  return both;
}

describe('two processes', () => {
  it('that race for one lease: exactly one gets it, 50 times', async () => {
    await using directory = await scratch();
    const [one, two] = await pair(join(directory.path, 'caisson.db'));
    for (let round = 0; round < 50; round += 1) {
      const answers = await Promise.all([one, two].map((each) => each.ask('acquire task:a')));
      expect([...answers].sort()).toEqual(['false', 'true']);
      await (answers[0] === 'true' ? one : two).ask('release task:a');
    }
    await Promise.all([one.end('SIGKILL'), two.end('SIGKILL')]);
  }, 60_000);

  it('that race to record one task: exactly one row is made (FR-05)', async () => {
    await using directory = await scratch();
    const [one, two] = await pair(join(directory.path, 'caisson.db'));
    for (let round = 0; round < 20; round += 1) {
      const answers = await Promise.all([one, two].map((each) => each.ask(`insert task-${round}`)));
      expect([...answers].sort()).toEqual(['already_exists', 'inserted']);
    }
    await Promise.all([one.end('SIGKILL'), two.end('SIGKILL')]);
  }, 60_000);

  it('that race to make the state directory agree on its instance, silently', async () => {
    await using directory = await scratch();
    for (let round = 0; round < 3; round += 1) {
      const racers = Array.from(
        { length: 4 },
        () => new HolderProcess(join(directory.path, `home-${round}`, 'caisson.db')),
      );
      const answers = await Promise.all(racers.map((each) => each.answer()));
      expect(new Set(answers).size).toBe(1);
      expect(answers[0]).toMatch(/^[a-z0-9]{16}$/);
      await Promise.all(racers.map((each) => each.end('SIGKILL')));
      expect(racers.map((each) => each.stderr)).toEqual(['', '', '', '']);
    }
  }, 60_000);
});

describe('a lease of another process (FR-08)', () => {
  it('is free as soon as its holder was killed', async () => {
    await using directory = await scratch();
    const database = join(directory.path, 'caisson.db');
    const holder = new HolderProcess(database);
    await holder.answer();
    expect(await holder.ask('acquire task:a')).toBe('true');
    const { store } = await openStore(database);
    expect(await store.leases.acquire('task:a')).toBe(false);
    await holder.end('SIGKILL');
    expect(await store.leases.holder('task:a')).toMatchObject({ pid: holder.child.pid, alive: false });
    expect(await store.leases.acquire('task:a')).toBe(true);
    await store.close();
  }, 30_000);

  it('stays with a holder that is stopped, and with it when it goes on', async () => {
    await using directory = await scratch();
    const database = join(directory.path, 'caisson.db');
    const holder = new HolderProcess(database);
    await holder.answer();
    await holder.ask('acquire task:a');
    holder.child.kill('SIGSTOP');
    const { store } = await openStore(database);
    expect(await store.leases.acquire('task:a')).toBe(false);
    expect(await store.leases.holder('task:a')).toMatchObject({ alive: true });
    holder.child.kill('SIGCONT');
    expect(await holder.ask('release task:a')).toBe('undefined');
    expect(await store.leases.acquire('task:a')).toBe(true);
    await store.close();
    await holder.end('SIGKILL');
  }, 30_000);

  it('goes when its holder is dead and the next process opens the store', async () => {
    await using directory = await scratch();
    const database = join(directory.path, 'caisson.db');
    const holder = new HolderProcess(database);
    await holder.answer();
    await holder.ask('acquire task:a');
    await holder.end('SIGKILL');
    const { store } = await openStore(database);
    expect(await store.leases.holder('task:a')).toBeNull();
    await store.close();
  }, 30_000);
});
