/** One round: attacks by one process, measurements by two others, and what the service says of itself meanwhile. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Figures } from '../../measured/figures.ts';
import type { MeasuredService } from '../../measured/service.ts';
import type { Answered, AttackOrder, EngineOrder, Measured, MeasureOrder } from './orders.ts';

export interface Round {
  readonly measured: Measured;
  readonly answered: Answered;
  readonly figures: Figures;
  readonly mostRssMb: number;
  /** Milliseconds of the same command by the engine alone. */
  readonly engineTimes: readonly number[];
}

export interface Sides {
  readonly service: MeasuredService;
  readonly attacker: string;
  readonly measurer: string;
  readonly engine: Omit<EngineOrder, 'forMs'>;
}

const programAt = (name: string): string => fileURLToPath(new URL(`${name}.process.ts`, import.meta.url));

/** What is there before the attack has begun to show is not measured. */
const headStartMs = 500;

export async function playRound(sides: Sides, names: readonly string[], forMs: number): Promise<Round> {
  const { service, attacker, measurer, engine } = sides;
  const order = { url: service.url, token: attacker, names, forMs: forMs + headStartMs } satisfies AttackOrder;
  const attack = names.length === 0 ? Promise.resolve({}) : answerOf('attack', order);
  await sleep(headStartMs);
  await service.figures();
  const over = new AbortController();
  const rss = watchRss(service, over.signal);
  const [measured, engineTimes] = await Promise.all([
    answerOf('measure', { url: service.url, token: measurer, forMs } satisfies MeasureOrder),
    answerOf('engine', { ...engine, forMs } satisfies EngineOrder),
  ]);
  over.abort();
  const mostRssMb = await rss;
  const figures = await service.figures();
  return {
    measured: Object(measured),
    answered: Object(await attack),
    figures,
    mostRssMb,
    engineTimes: Object(engineTimes),
  };
}

async function answerOf(name: string, order: MeasureOrder | AttackOrder | EngineOrder): Promise<unknown> {
  const child = fork(programAt(name), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  try {
    child.send(order);
    const [answer] = await Promise.race([once(child, 'message'), ended(name, child)]);
    return answer;
  } finally {
    child.kill('SIGKILL');
  }
}

async function ended(name: string, child: ChildProcess): Promise<never> {
  const [code, signal] = await once(child, 'exit');
  throw new Error(`the ${name} process has ended: ${code ?? signal}`);
}

/** Asks the kernel, since a question to the service would wait with all others. */
async function watchRss(service: MeasuredService, signal: AbortSignal): Promise<number> {
  let max = 0;
  while (!signal.aborted) {
    max = Math.max(max, service.rssMb());
    await sleep(200, undefined, { signal }).catch(() => undefined);
  }
  return max;
}
