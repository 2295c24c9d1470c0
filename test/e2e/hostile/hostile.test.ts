/**
 * One owner attacks the service in every way that is known, another one uses it: no request of that one fails, and none waits
 * long. CI attacks in groups for some seconds; `node scripts/load.ts hostile` makes each attack for a minute, then all at once.
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
/** Other tests use the machine of CI at the same time. */
const slack = isLoad ? 1 : 4;
const bounds = { latencyMs: 250, times: 5, delayP99Ms: 50, delayMaxMs: 250, rssMb: 1024 };
const roundMs = isLoad ? seconds * 1000 : 4000;

let world: HostileWorld;
let quiet: Round;

beforeAll(async () => {
  world = await openHostileWorld();
  await playRound(world, [], 2000);
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
  const { figures, mostRssMb, answered } = round;
  const times = kinds.map((kind) => [`${kind} p99`, Math.round(p99Of(round)[kind])] as const);
  report({
    attack: name,
    ...Object.fromEntries(times),
    'loop p99': Math.round(figures.delayP99Ms),
    'loop max': Math.round(figures.delayMaxMs),
    'RSS MB': Math.round(mostRssMb),
    answers: JSON.stringify(answered),
  });
}

async function attack(name: string, names: readonly string[]): Promise<void> {
  const round = await playRound(world, names, roundMs);
  print(name, round);
  expect(round.measured.failures).toEqual([]);
  for (const kind of kinds) {
    const own = p99Of(quiet)[kind];
    expect(p99Of(round)[kind], `p99 of ${kind}`).toBeLessThan(slack * Math.max(bounds.latencyMs, bounds.times * own));
  }
  expect(round.figures.delayP99Ms, 'delay of the event loop, p99').toBeLessThan(slack * bounds.delayP99Ms);
  expect(round.figures.delayMaxMs, 'delay of the event loop').toBeLessThan(slack * bounds.delayMaxMs);
  expect(round.mostRssMb).toBeLessThan(bounds.rssMb);
}

const timeout = 2 * roundMs + 60_000;
const rounds: readonly (readonly string[])[] = isLoad ? chosen.map((name) => [name]) : groupNames;

it.each(rounds.map((names) => [names.join(', '), names] as const))(
  'another owner works on under attacks by: %s',
  { timeout },
  async (title, names) => await attack(title, names),
);

it('another owner works on under all of them at once', { timeout }, async () => await attack('all', chosen));
