/**
 * Every operation of /openapi.json with valid, boundary and hostile values. The seed is printed; CAISSON_FUZZ_SEED gives it again.
 * `node scripts/load.ts fuzz` sends 100,000 requests and measures the memory of the service.
 */
import { randomInt } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { report } from '../../counts.ts';
import { safeBelow } from './named.ts';
import { requestsOf, type FuzzRequest } from './requests.ts';
import { type FuzzWorld, openFuzzWorld } from './world.ts';

const load = Number(process.env['CAISSON_LOAD_FUZZ'] ?? 0);
const seed = Number(process.env['CAISSON_FUZZ_SEED'] ?? randomInt(2 ** 31));
const endsAtMs = load > 0 ? Infinity : performance.now() + 25_000;
const requests = load > 0 ? load : 6000;
const atOnce = 8;
const batch = 200;
/** Streams are left after this time. */
const leaveMs = 1500;

interface Tally {
  readonly statuses: Map<number, number>;
  readonly failures: string[];
}

async function sendTo(
  { service, agent, person }: FuzzWorld,
  { method, path, scope, headers, body }: FuzzRequest,
  { statuses, failures }: Tally,
): Promise<void> {
  const signal = AbortSignal.timeout(leaveMs);
  const authorization = `Bearer ${scope === 'approve' ? person : agent}`;
  try {
    const response = await fetch(service.url + path, {
      method,
      headers: { ...headers, authorization },
      signal,
      body,
    });
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
    const text = await response.text().catch(() => '');
    const isBroken = response.status === 500 || text.includes('"code":"internal"');
    const isProblem =
      response.status < 400 || (response.headers.get('content-type') ?? '').includes('application/problem+json');
    if (isBroken || !isProblem) failures.push(`${response.status} ${method} ${path} ${body} ${text.slice(0, 300)}`);
  } catch (error) {
    if (!signal.aborted) failures.push(`${method} ${path} ${body}: ${String(Object(error).cause ?? error)}`);
  }
}

const max = (numbers: readonly number[]): number => Math.max(0, ...numbers);

it(`no request of the document is a failure of the service (seed ${seed})`, { timeout: 4 * 3_600_000 }, async () => {
  console.log(`CAISSON_FUZZ_SEED=${seed}`);
  await using world = await openFuzzWorld();
  const { service, root } = world;
  const authorization = `Bearer ${world.agent}`;
  const document: unknown = await (await fetch(`${service.url}/openapi.json`, { headers: { authorization } })).json();
  const arbitrary = requestsOf(Object(document), safeBelow(root));
  const tally: Tally = { statuses: new Map(), failures: [] };
  const rss: number[] = [];
  let warm = await service.figures({ collect: true });
  let sent = 0;
  for (; sent < requests && performance.now() < endsAtMs && tally.failures.length < 20; sent += batch) {
    const waiting = fc.sample(arbitrary, { seed: seed + sent, numRuns: batch });
    const one = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined && performance.now() < endsAtMs; next = waiting.pop())
        await sendTo(world, next, tally);
    };
    await Promise.all(Array.from({ length: atOnce }, one));
    const isWarm = sent === Math.floor(requests / 10 / batch) * batch;
    const isShown = load > 0 && (sent / batch) % 50 === 0;
    const figures = await service.figures({ collect: isWarm || isShown });
    if (isWarm) warm = figures;
    rss.push(figures.rssMb);
    if (isShown) console.log(sent, JSON.stringify(figures));
  }
  const [first, second] = [max(rss.slice(0, rss.length / 2)), max(rss.slice(rss.length / 2))];
  const end = await service.figures({ collect: true });
  const statuses = Object.fromEntries([...tally.statuses].map(([status, count]) => [`status ${status}`, count]));
  report({
    sent,
    ...statuses,
    'heap MB, warm': warm.heapMb,
    'heap MB, end': end.heapMb,
    'RSS MB, 1st half': first,
    'RSS MB, 2nd half': second,
  });
  expect(tally.failures).toEqual([]);
  expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
  if (load === 0) return;
  expect(end.heapMb).toBeLessThan(1.2 * warm.heapMb);
  expect(second).toBeLessThan(1.1 * first);
});
