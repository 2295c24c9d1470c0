/**
 * One owner attacks the service in every way that is known, another one uses it: no request of that one fails, and none waits
 * long. CI attacks in groups for some seconds, beside other tests, and asserts that no request fails; `node scripts/load.ts hostile`
 * makes each attack for a minute, then all at once, and asserts latencies too.
 * CAISSON_LOAD_HOSTILE_SECONDS is another time, CAISSON_LOAD_HOSTILE_ATTACKS names some of them.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { report } from '../../counts.ts';
import { attacks, groupNames } from './attacks/index.ts';
import { type Kind, kinds } from './orders.ts';
import { playRound, type Round } from './rounds.ts';
import { type HostileWorld, openHostileWorld } from './world.ts';

const seconds = Number(process.env['CAISSON_LOAD_HOSTILE_SECONDS'] ?? 0);
const chosen = process.env['CAISSON_LOAD_HOSTILE_ATTACKS']?.split(',') ?? Object.keys(attacks);
const isLoad = seconds > 0;
const bounds = { latencyMs: 250, times: 5, delayP99Ms: 50, delayMaxMs: 250, rssMb: 1024 };
const roundMs = isLoad ? seconds * 1000 : 3000;

let world: HostileWorld;
let quiet: Round;

beforeAll(async () => {
  world = await openHostileWorld();
  if (isLoad) await playRound(world, [], 2000);
  quiet = await playRound(world, [], Math.min(roundMs, 20_000));
  print('no attack', quiet);
}, 120_000);
afterAll(async () => await world[Symbol.asyncDispose](), 60_000);

const p99 = (times: readonly number[]): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0;

const p99Of = ({ measured }: Round): Readonly<Record<Kind, number>> => ({
  exec: p99(measured.times.exec),
  list: p99(measured.times.list),
  file: p99(measured.times.file),
  health: p99(measured.times.health),
});

function print(name: string, round: Round): void {
  const { figures, mostRssMb, engineTimes, answered } = round;
  const times = kinds.map((kind) => [`${kind} p99`, Math.round(p99Of(round)[kind])] as const);
  report({
    attack: name,
    ...Object.fromEntries(times),
    'loop p99': Math.round(figures.delayP99Ms),
    'loop max': Math.round(figures.delayMaxMs),
    'engine exec p99': Math.round(p99(engineTimes)),
    'RSS MB': Math.round(mostRssMb),
    answers: JSON.stringify(answered),
  });
}

async function attack(name: string, names: readonly string[]): Promise<void> {
  const round = await playRound(world, names, roundMs);
  print(name, round);
  expect(round.measured.failures).toEqual([]);
  expect(round.mostRssMb).toBeLessThan(bounds.rssMb);
  if (isLoad) expectQuick(round);
}

function expectQuick(round: Round): void {
  for (const kind of kinds) {
    const own = p99Of(quiet)[kind];
    expect(p99Of(round)[kind], `p99 of ${kind}`).toBeLessThan(Math.max(bounds.latencyMs, bounds.times * own));
  }
  expect(round.figures.delayP99Ms, 'delay of the event loop, p99').toBeLessThan(bounds.delayP99Ms);
  expect(round.figures.delayMaxMs, 'delay of the event loop').toBeLessThan(bounds.delayMaxMs);
}

const timeout = 2 * roundMs + 60_000;
const atOnce = ['all of them at once', chosen] as const;
const alone = chosen.map((name) => [name, [name]] as const);
const groups = groupNames.map((names) => [names.join(', '), names] as const);

it.each(isLoad ? [...alone, atOnce] : groups)(
  'another owner works on under attacks by: %s',
  { timeout },
  async (title, names) => await attack(title, names),
);
