/**
 * Every operation of /openapi.json with valid, boundary and hostile values. The seed is printed; CAISSON_FUZZ_SEED gives it again.
 * `node scripts/load.ts fuzz` sends 100,000 requests and measures memory.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { report } from '../../counts.ts';
import { openWorld, type World } from '../world.ts';
import { requestsOf, type Sent } from './requests.ts';
import type { Json, Named } from './values.ts';

const load = Number(process.env['CAISSON_LOAD_FUZZ'] ?? 0);
const seed = Number(process.env['CAISSON_FUZZ_SEED'] ?? randomInt(2 ** 31));
const endsAtMs = load > 0 ? Infinity : performance.now() + 25_000;
const requests = load > 0 ? load : 6000;
const atOnce = 8;
const batch = 200;
/** Streams are left after this time. */
const leaveMs = 1500;

/** Sandboxes are on this host, where a path or a program of chance would do harm. */
function safe(root: string): Named {
  const paths = [
    `${root}/fuzz/a`,
    `${root}/fuzz/b/c`,
    `${root}/fuzz`,
    'fuzz/d',
    '/proc/none/x',
    'a\0b',
    `/${'x'.repeat(5000)}`,
    '',
    7,
  ];
  const commands = [
    ['true'],
    ['echo', 'hi'],
    ['sh', '-c', 'echo TOKEN=a; exit 3'],
    ['cat'],
    ['sleep', '0.1'],
    ['no-such-program'],
    [''],
    [],
    ['a\0'],
    'true',
    [1],
  ];
  const names = ['one', 'two', 'three'];
  return {
    ...{
      path: paths,
      cwd: paths.slice(0, 6),
      to: paths,
      target: paths,
      name: ['main', 'a', '', '\0', 'x'.repeat(300)],
    },
    ...{
      command: commands,
      commands: [[{ command: 'ls' }, { command: 'rm -rf /' }], [], ['ls'], [{ command: ['a', 'b'] }]],
    },
    ...{ text: ['true', 'echo hi', 'cd /; pwd', 'exit 4', '(', '\0', ''], input: ['', 'x', 'a\nb\0'] },
    ...{
      id: [...names, ...names, 'sbx_0123456789abcdef', '..', 'A', '%zz', 'x'.repeat(600)],
      taskId: [...names, 'ghost', '', 'A/b', 7],
    },
    ...{
      execId: ['exec_a', 'exec_b', 'exec_c', 'exec_', '../x'],
      processId: ['exec_p', 'exec_a', 'x'],
      task: [...names, 'ghost'],
    },
    ...{
      execs: [1, 5, 0, -1],
      timeoutMs: [50, 300, 0, -1, null, 'x'],
      waitForApproval: [false],
      follow: ['false', 'x'],
    },
    ...{
      backend: ['local', 'nowhere', ''],
      image: ['x', '-x', 'a:b:c'],
      url: ['http://127.0.0.1/', 'x', ''],
      urls: [['http://127.0.0.1/'], [], ['x']],
    },
    ...{
      host: ['127.0.0.1', '-x', ''],
      recipe: ['none', ''],
      names: [['none'], []],
      key: ['terminal.timeout', 'none', '__proto__', ''],
      value: ['30', 7, null, {}],
    },
    ...{ seconds: [0, 1], TOKEN: ['a', 7], TERM: ['x'], wait: ['0'] },
  };
}

interface Tally {
  readonly statuses: Map<number, number>;
  readonly failures: string[];
}

async function sendTo(
  world: World,
  { method, path, scope, headers, body }: Sent,
  { statuses, failures }: Tally,
): Promise<void> {
  const signal = AbortSignal.timeout(leaveMs);
  const token = scope === 'approve' ? world.person : world.agent;
  try {
    const response = await world.ask(path, { method, headers, token, signal, ...(body === null ? {} : { body }) });
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

setFlagsFromString('--expose_gc');
const collect: () => void = runInNewContext('gc');

function heapMb(): number {
  collect();
  return process.memoryUsage().heapUsed / 2 ** 20;
}

it(`no request of the document is a failure of the service (seed ${seed})`, { timeout: 4 * 3_600_000 }, async () => {
  console.log(`CAISSON_FUZZ_SEED=${seed}`);
  await using world = await openWorld({ config: 'approvals: {remote_timeout: 1}\n' });
  mkdirSync(`${world.root}/fuzz`);
  for (const taskId of ['one', 'two', 'three']) await world.ask('/v1/sandboxes', { body: { taskId } });
  const document: Json = Object(await (await world.ask('/openapi.json')).json());
  const arbitrary = requestsOf(document, safe(world.root));
  const tally: Tally = { statuses: new Map(), failures: [] };
  const rss: number[] = [];
  let warmMb = 0;
  let sent = 0;
  for (; sent < requests && performance.now() < endsAtMs && tally.failures.length < 20; sent += batch) {
    const waiting = [...fc.sample(arbitrary, { seed: seed + sent, numRuns: batch })];
    const one = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined && performance.now() < endsAtMs; next = waiting.pop())
        await sendTo(world, next, tally);
    };
    await Promise.all(Array.from({ length: atOnce }, one));
    rss.push(process.memoryUsage.rss() / 2 ** 20);
    if (sent === Math.floor(requests / 10 / batch) * batch) warmMb = heapMb();
  }
  const [first = 0, second = 0] = [rss.slice(0, rss.length / 2), rss.slice(rss.length / 2)].map((half) =>
    Math.max(...half),
  );
  const endMb = heapMb();
  const statuses = Object.fromEntries([...tally.statuses].map(([status, count]) => [`status ${status}`, count]));
  report({
    sent,
    ...statuses,
    'heap MB, warm': warmMb,
    'heap MB, end': endMb,
    'RSS MB, 1st half': first,
    'RSS MB, 2nd half': second,
  });
  expect(tally.failures).toEqual([]);
  expect((await world.ask('/healthz', { token: null })).status).toBe(200);
  if (load === 0) return;
  expect(endMb).toBeLessThan(1.2 * warmMb);
  expect(second).toBeLessThan(1.1 * first);
});
