/**
 * Many sandboxes with filtered networks on one engine, each with rules of its own, and what is left when they end in order and when
 * their records are lost. `scripts/load.ts` runs it in full.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { report } from '../counts.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import { dockerHost } from '../engines/docker.ts';
import { busybox, type Home, makeHome } from './home.ts';
import { proxyPid } from '../egress/proxy-pid.ts';
import { askFor, Origins } from './origins.ts';

/** At most 250: each has an address. */
const count = Number(process.env['CAISSON_LOAD_FILTERED'] ?? 20);
const atOnce = 8;
/** Largest processor time of the proxy without traffic, which looks at all sandboxes once a second. */
const maxMsPerSecond = 50;

const numbers = Array.from({ length: count }, (_, index) => index);
const taskOf = (number: number): string => `filtered-${number}`;

let origins: Origins;
beforeAll(async () => void (origins = await Origins.open('10.231.79')));
afterAll(async () => await origins[Symbol.asyncDispose]());

const addressOf = (number: number): string => origins.address(2 + (number % count));
const originOf = (number: number): string => origins.place(2 + (number % count));

async function forEach(all: readonly number[], work: (number: number) => Promise<void>): Promise<void> {
  const left = [...all];
  const worker = async (): Promise<void> => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

async function timed(what: string, work: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await work();
  report({ sandboxes: count, step: what, durationMs: Math.round(performance.now() - begun) });
}

function configure(home: Home): void {
  const places = numbers.map((number) => `"${originOf(number)}"`).join(', ');
  const limits = 'container_cpu: 1, container_memory: 64, container_disk: null';
  const text = `terminal: {docker_image: "${busybox}", ${limits}}\nnetwork: {allow_private: [${places}]}\n`;
  writeFileSync(join(home.path, 'config.yaml'), text, { mode: 0o600 });
}

async function make(caisson: Caisson, which: readonly number[] = numbers): Promise<void> {
  await Promise.all(
    which.map(async (number) => {
      await caisson.sandboxes.create({ taskId: taskOf(number), network: 'filtered' });
      await caisson.network.change(taskOf(number), { allow: [originOf(number)] });
    }),
  );
}

/** Its own origin answers, and the proxy refuses that of the neighbour. */
async function ask(caisson: Caisson, number: number): Promise<void> {
  const text = `${askFor(originOf(number))}; echo; ${askFor(originOf(number + 1))}`;
  const { stdout } = await caisson.run({ taskId: taskOf(number), existing: true, command: ['sh', '-c', text] });
  const [own, other] = stdout.text.split('\n\nHTTP/1.1 403');
  const refused = expect.stringContaining(`${originOf(number + 1)} is not allowed`);
  const seen = [taskOf(number), own?.split('from ')[1], other];
  expect(seen).toEqual([taskOf(number), addressOf(number), refused]);
}

/** Processor time and memory of the proxy, while nothing passes. */
async function proxyCost(home: Home): Promise<{ readonly msPerSecond: number; readonly megabytes: number }> {
  const pid = proxyPid(home.path) ?? 0;
  const ticks = (): number => {
    const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
    const fields = after.split(' ').map(Number);
    return (fields[11] ?? 0) + (fields[12] ?? 0);
  };
  const before = ticks();
  await sleep(10_000);
  const rss = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return { msPerSecond: ticks() - before, megabytes: Math.round(Number(rss) / 1024) };
}

/** Deletes all sandboxes from the store: a crash between two transactions never does, the restore of an older database may. */
async function forget(home: Home): Promise<void> {
  const { store } = await openStore(join(home.path, 'caisson.db'), { clock: systemClock });
  for (const { id } of await store.sandboxes.list({ limit: 1000 })) await store.sandboxes.delete(id);
  await store.close();
}

describe.skipIf(dockerHost() === null)(`${count} sandboxes with filtered networks`, () => {
  it('reach what each may, and leave nothing (NE-04)', { timeout: 120_000 + count * 15_000 }, async () => {
    await using home = await makeHome();
    configure(home);
    const caisson = await home.open();
    await timed('their creation', async () => await make(caisson));
    await timed('a command in each', async () => await forEach(numbers, async (number) => await ask(caisson, number)));
    expect(numbers.filter((number) => origins.dials(addressOf(number)) !== 1)).toEqual([]);
    const { msPerSecond, megabytes } = await proxyCost(home);
    report({ sandboxes: count, proxyMb: megabytes, proxyMsPerSecond: msPerSecond });
    expect(msPerSecond).toBeLessThan(maxMsPerSecond);

    const half = numbers.slice(0, Math.floor(count / 2));
    await timed('the removal of half of them', async () => {
      await forEach(half, async (number) => await caisson.sandboxes.remove(taskOf(number)));
    });
    const left = count - half.length;
    const files = (): readonly number[] =>
      ['doors', 'log'].map((name) => readdirSync(`${home.path}/egress/${name}`).length);
    expect([(await home.containers()).length, files()]).toEqual([2 * left, [left, left]]);

    await caisson.close();
    await forget(home);
    const shown = await home.cli(['gc', '--dry-run', '--json']);
    expect(shown.stdout.match(/"kind":\s*"resource"/g)).toHaveLength(left);
    expect(shown.stdout.split('/egress/doors/').length - 1).toBe(left);
    await timed('gc of the other half', async () => expect((await home.cli(['gc'])).code).toBe(0));
    expect([await home.containers(), files()]).toEqual([[], [0, 0]]);
    await expect.poll(() => proxyPid(home.path), { timeout: 20_000 }).toBe(null);
    expect(files()).toEqual([0, 0]);
  });
});

describe.skipIf(dockerHost() === null)('a filtered network whose database is lost', () => {
  it('is left by the proxy of before, found by gc, and made again', { timeout: 120_000 }, async () => {
    await using home = await makeHome();
    configure(home);
    const before = await home.open();
    const { sandbox } = await before.sandboxes.create({ taskId: taskOf(0), network: 'filtered' });
    await before.close();
    const pid = proxyPid(home.path);
    for (const name of readdirSync(home.path).filter((each) => each.startsWith('caisson.db')))
      rmSync(join(home.path, name));
    await expect.poll(() => proxyPid(home.path), { timeout: 20_000 }).toBe(null);
    const caisson = await home.open();
    const kinds = async (dryRun: boolean): Promise<readonly (readonly [string, string])[]> =>
      (await caisson.sandboxes.gc({ dryRun })).map(({ kind, name }) => [kind, name] as const);
    const left = [
      ['resource', sandbox.id],
      ['directory', join(home.path, 'egress/doors', sandbox.id)],
    ];
    expect(await kinds(true)).toEqual(left);
    expect((await home.containers()).length).toBe(2);
    expect(await kinds(false)).toEqual(left);
    expect([await home.containers(), readdirSync(`${home.path}/egress/doors`)]).toEqual([[], []]);
    await make(caisson, [0]);
    await ask(caisson, 0);
    expect(proxyPid(home.path)).not.toBe(pid);
    await caisson.sandboxes.remove(taskOf(0));
  });
});
