/** Answers "always" of one process, in another one that runs already. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openCaisson } from '../../src/main.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { openStore } from '../../src/store/sqlite/open.ts';
import type { Caller } from '../../src/values/caller.ts';
import { scratch } from '../store/scratch.ts';

const patience = { timeout: 60_000 };
const of = (owner: string, token: string): Caller => ({ owner, token: `tok_${token}` });

/** Two on one state directory, as a service and a command line beside it. */
async function openedTwice(): Promise<readonly [Caisson, Caisson]> {
  const root = mkdtempSync(join(tmpdir(), 'caisson-always-'));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(
    join(home, 'config.yaml'),
    'approvals: {remote_timeout: 30}\nowners: {default: {backends: [local]}}\n',
    { mode: 0o600 },
  );
  const env = { PATH: process.env['PATH'] ?? '', HOME: root, CAISSON_TERMINAL_BACKEND: 'local' };
  const open = async () => await openCaisson({ home, env, cwd: root, approver: 'queue' });
  const both = [await open(), await open()] as const;
  onTestFinished(async () => {
    for (const each of both) await each.close();
    rmSync(root, { recursive: true });
  });
  return both;
}

interface As {
  readonly owner: string;
  readonly waits?: boolean;
}

/** The code of the refusal; `null` when it ran. */
async function run(caisson: Caisson, command: string, { owner, waits = false }: As): Promise<unknown> {
  const taskId = owner === 'operator' ? 'build' : `${owner}.build`;
  const options = { caller: of(owner, 'agent'), question: { waits } };
  return await caisson.run({ taskId, command: ['sh', '-c', command] }, options).then(
    () => null,
    (error: unknown) => Reflect.get(Object(error), 'code'),
  );
}

async function answerAlways(caisson: Caisson, owner: string): Promise<void> {
  const { approvals } = caisson;
  await expect.poll(async () => (await approvals.list()).length, { timeout: 20_000 }).toBe(1);
  const [question] = await approvals.list();
  await approvals.answer(question?.id ?? '', 'always', 'x', { caller: of(owner, 'person') });
}

it.each(['operator', 'alice'])(
  '"always" of %s holds at the next decision of another process',
  patience,
  async (owner) => {
    const [one, other] = await openedTwice();
    // Both have read what is saved, before anything is.
    expect([await run(one, 'true', { owner }), await run(other, 'true', { owner })]).toEqual([null, null]);
    for (const [asks, beside, command] of [
      [one, other, 'rm -rf ./first'],
      [other, one, 'rm -rf ./second'],
    ] as const) {
      const waiting = run(asks, command, { owner, waits: true });
      await answerAlways(beside, owner);
      expect(await waiting).toBeNull();
      expect([await run(beside, command, { owner }), await run(asks, command, { owner })]).toEqual([null, null]);
    }
    expect(await run(one, 'rm -rf ./first', { owner: 'bob' })).toBe('approval_required');
  },
);

it('saved rules are the same list until another process saves one, so that nothing is composed anew', async () => {
  await using directory = await scratch();
  const path = join(directory.path, 'caisson.db');
  const [{ store: one }, { store: other }] = [await openStore(path), await openStore(path)];
  const save = async (rule: string) =>
    await other.savedRules.insert({ owner: 'alice', rule, savedBy: 'x', savedAt: Date.now() });
  const rulesOf = async (store: typeof one) => (await store.savedRules.of('alice')).map(({ rule }) => rule);
  await save('terminal(make)');
  const first = await one.savedRules.of('alice');
  await other.leases.acquire('anything');
  expect(await one.savedRules.of('alice')).toBe(first);
  await save('terminal(make test)');
  const both = ['terminal(make)', 'terminal(make test)'];
  expect([await rulesOf(one), await rulesOf(other)]).toEqual([both, both]);
  for (const each of [one, other]) await each.close();
});
