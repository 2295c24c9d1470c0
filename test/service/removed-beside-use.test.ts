/** A sandbox is removed while its owner uses it in every way: each use ends well, or says that the sandbox is gone. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { CaissonError } from '../../src/errors.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { openCaisson } from '../../src/main.ts';

const rounds = 12;
const task = 'used';
let home = '';
let caisson: Caisson;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'caisson-removed-'));
  caisson = await openCaisson({
    home: join(home, 'caisson'),
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: home, CAISSON_TERMINAL_BACKEND: 'local' },
    cwd: home,
  });
});
afterAll(async () => {
  await caisson.close();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

type Uses = readonly (() => Promise<unknown>)[];

const uses = (round: number): Uses => {
  const path = join(home, `file-${round}`);
  const session = { taskId: task, name: `session-${round}` };
  return [
    async () => await caisson.run({ taskId: task, command: ['true'] }),
    async () => await (await caisson.exec({ taskId: task, command: ['sleep', '0.05'] })).exit,
    async () => await (await caisson.sessions.exec({ ...session, text: 'echo one' })).exit,
    async () => await caisson.files.write({ task, path, bytes: Buffer.from('abc') }),
    async () => await caisson.files.read({ task, path }),
    async () => await caisson.files.patch({ task, path, edits: [{ find: 'b', replace: 'b' }] }),
    async () => await caisson.files.list({ task, path: home }),
    async () => await caisson.files.search({ task, path: home, pattern: 'abc' }),
    async () => await caisson.sandboxes.get(task),
    async () => await caisson.sandboxes.start(task),
    async () => await caisson.sandboxes.limits(task),
    async () => await caisson.sandboxes.remove(task),
  ];
};

/** What each refused use said. */
async function refusals(all: Uses): Promise<readonly unknown[]> {
  const ends = await Promise.allSettled(all.map(async (use) => await use()));
  return ends.flatMap((end) => (end.status === 'rejected' ? [end.reason as unknown] : []));
}

const gone = new Set(['conflict', 'not_found']);

it('a use beside a removal ends well, or is refused as conflict or not_found', { timeout: 120_000 }, async () => {
  const refused: unknown[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await caisson.sandboxes.create({ taskId: task });
    const removal = delay(5 * round).then(async () => await caisson.sandboxes.remove(task));
    const [removed, ...ends] = await Promise.all([
      refusals([() => removal]),
      refusals(uses(round)),
      refusals(uses(round)),
    ]);
    refused.push(...removed, ...ends.flat());
  }
  const others = refused.filter((error) => !(error instanceof CaissonError && gone.has(error.code)));
  expect(others).toEqual([]);
  expect(refused.length).toBeGreaterThan(rounds);
});
