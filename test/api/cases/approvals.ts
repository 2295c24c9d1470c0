import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { ApprovalView } from '../../../src/service/api.ts';
import type { Place } from '../place.ts';
import { calling, refused, whole } from '../reading.ts';
import type { Suite } from '../suite.ts';

export function approvalCases(suite: Suite): void {
  questionCases(suite);
  answerCases(suite);
  grantCases(suite);
  suggestCases(suite);
}

/** The questions that wait for a task, once there are as many. */
async function waiting(place: Place, taskId: string, count = 1): Promise<readonly ApprovalView[]> {
  for (;;) {
    const found = (await place.person.approvals.list()).filter((each) => each.taskId === taskId);
    if (found.length >= count) return found;
    await sleep(50);
  }
}

async function question(place: Place, taskId: string): Promise<ApprovalView> {
  const [found] = await waiting(place, taskId);
  if (found === undefined) throw new Error('no question');
  return found;
}

const touch = (name: string): [string, string] => ['touch', name];

/** A task whose `touch` is asked about, and a directory in it. */
async function asked(place: Place) {
  const taskId = await place.fresh({}, 'asked');
  const directory = await place.directory(taskId);
  const isThere = async (name: string): Promise<boolean> =>
    (await place.agent.run({ taskId, command: ['test', '-e', `${directory}/${name}`] })).exit.exitCode === 0;
  const run = (name: string) => place.agent.run({ taskId, command: touch(`${directory}/${name}`) });
  return { taskId, directory, isThere, run };
}

function questionCases(suite: Suite): void {
  suite.test('approvals.list.waiting', 'lists a command that waits for an answer', async (place) => {
    const { taskId, directory, run } = await asked(place);
    const running = run('f');
    const found = await question(place, taskId);
    expect(found).toMatchObject({ taskId, state: 'pending', display: `touch ${directory}/f`, diff: null });
    expect([found.id, found.choices]).toEqual([
      expect.stringMatching(/^apr_[0-9a-f]{24}$/),
      expect.arrayContaining(['once', 'deny']),
    ]);
    await place.person.approvals.answer(found.id, 'once', 'tester');
    await running;
    expect((await place.person.approvals.list()).filter((each) => each.taskId === taskId)).toEqual([]);
  });

  suite.test(
    'approvals.get.states',
    'shows a question while it waits, and how it was answered afterwards',
    async (place) => {
      const { taskId, run } = await asked(place);
      const running = run('f');
      const { id } = await question(place, taskId);
      expect((await place.person.approvals.get(id)).state).toBe('pending');
      await place.person.approvals.answer(id, 'once', 'tester');
      await running;
      expect((await place.person.approvals.get(id)).state).toBe('used');
    },
  );

  suite.test('approvals.get.missing', 'has nothing of a question that was never asked', async (place) => {
    await refused(place.person.approvals.get(`apr_${'0'.repeat(24)}`), 'not_found');
  });

  suite.test('approvals.get.diff', 'shows the person who answers what a write would change', async (place) => {
    const { taskId, directory } = await asked(place);
    const path = `${directory}/asked.txt`;
    const writing = place.agent.files.write({ task: taskId, path, bytes: 'one\ntwo\n' });
    const { id } = await question(place, taskId);
    expect((await place.person.approvals.get(id)).diff).toBe('a new file\n@@ -0,0 +1,2 @@\n+one\n+two');
    await place.person.approvals.answer(id, 'once', 'tester');
    expect((await writing).size).toBe(8);
  });
}

function answerCases(suite: Suite): void {
  suite.test('approvals.answer.once', 'lets a command run once', async (place) => {
    const { taskId, run, isThere } = await asked(place);
    const running = run('f');
    await place.person.approvals.answer((await question(place, taskId)).id, 'once', 'tester');
    expect((await running).exit.exitCode).toBe(0);
    expect(await isThere('f')).toBe(true);
    const again = run('f');
    await place.person.approvals.answer((await question(place, taskId)).id, 'deny', 'tester');
    await refused(again, 'policy_denied');
  });

  suite.test('approvals.answer.deny', 'refuses a command, which then has not run', async (place) => {
    const { taskId, run, isThere } = await asked(place);
    const refusing = refused(run('f'), 'policy_denied');
    await place.person.approvals.answer((await question(place, taskId)).id, 'deny', 'tester');
    await refusing;
    expect(await isThere('f')).toBe(false);
  });

  suite.test('approvals.answer.late', 'is too late for a question that has an answer', async (place) => {
    const { taskId, run } = await asked(place);
    const running = run('f');
    const { id } = await question(place, taskId);
    await place.person.approvals.answer(id, 'once', 'tester');
    await running;
    await refused(place.person.approvals.answer(id, 'deny', 'tester'), 'conflict');
  });

  suite.test('approvals.answer.missing', 'has nothing to answer of a question that was never asked', async (place) => {
    await refused(place.person.approvals.answer(`apr_${'0'.repeat(24)}`, 'once', 'tester'), 'not_found');
  });

  suite.test('approvals.answer.bad-choice', 'refuses what is no choice, and the question waits on', async (place) => {
    const { taskId, run } = await asked(place);
    const refusing = refused(run('f'), 'policy_denied');
    const { id } = await question(place, taskId);
    const choice: unknown = 'perhaps';
    const attempt = calling(place.person.approvals, 'answer', id, choice, 'tester');
    await refused(attempt, 'invalid_argument');
    expect((await place.person.approvals.get(id)).state).toBe('pending');
    await place.person.approvals.answer(id, 'deny', 'tester');
    await refusing;
  });

  suite.test('approvals.answer.gone', 'ends with the client that asked, when that gives up', async (place) => {
    const { taskId, directory } = await asked(place);
    const request = { taskId, command: touch(`${directory}/f`) };
    const running = place.agent.run(request, { signal: AbortSignal.timeout(2000) }).then(
      () => 'ran',
      () => 'refused',
    );
    const { id } = await question(place, taskId);
    expect(await running).toBe('refused');
    await expect
      .poll(async () => (await place.person.approvals.list()).map((each) => each.id), { timeout: 20_000 })
      .not.toContain(id);
    await expect(place.person.approvals.answer(id, 'once', 'tester')).rejects.toMatchObject({ name: 'CaissonError' });
  });

  suite.test('approvals.answer.started', 'starts a streamed command once it is approved', async (place) => {
    const { taskId, directory } = await asked(place);
    const starting = place.agent.exec({ taskId, command: ['sh', '-c', `touch ${directory}/f && echo done`] });
    await place.person.approvals.answer((await question(place, taskId)).id, 'once', 'tester');
    const running = await starting;
    const parts = await Array.fromAsync(running.stdout);
    expect([Buffer.concat(parts).toString(), (await running.exit).exitCode]).toEqual(['done\n', 0]);
  });

  suite.test('approvals.answer.session-text', 'lets a text of a session run', async (place) => {
    const { taskId, directory } = await asked(place);
    const text = `touch ${directory}/f && echo done`;
    const running = place.agent.sessions.run({ taskId, name: 'main', text });
    await place.person.approvals.answer((await question(place, taskId)).id, 'once', 'tester');
    expect((await running).stdout).toMatchObject(whole('done\n'));
  });

  suite.test('approvals.answerAll.task', 'answers all that waits for a task at once, and names it', async (place) => {
    const { taskId, directory } = await asked(place);
    const running = [place.agent, place.other].map((api, index) =>
      api.run({ taskId, command: touch(`${directory}/${index}`) }),
    );
    const ids = (await waiting(place, taskId, 2)).map(({ id }) => id);
    const { answered, left } = await place.person.approvals.answerAll({ taskId, choice: 'once' }, 'tester');
    expect([[...answered].toSorted(), left]).toEqual([ids.toSorted(), []]);
    expect((await Promise.all(running)).map(({ exit }) => exit.exitCode)).toEqual([0, 0]);
  });

  suite.test(
    'approvals.answerAll.nothing',
    'answers nothing where nothing waits, and never with always',
    async (place) => {
      const { person } = place;
      expect(await person.approvals.answerAll({ taskId: 'never-made', choice: 'deny' }, 'tester')).toEqual({
        answered: [],
        left: [],
      });
      const always: object = { taskId: 'never-made', choice: 'always' };
      await refused(calling(person.approvals, 'answerAll', always, 'tester'), 'invalid_argument');
    },
  );
}

/** A task of which every command is asked about, and may be approved for the session. */
async function supervised(place: Place) {
  const taskId = await place.fresh({}, 'supervised');
  const run = () => place.agent.run({ taskId, command: ['true'] });
  const answered = async (choice: 'session' | 'deny'): Promise<void> =>
    await place.person.approvals.answer((await question(place, taskId)).id, choice, 'tester');
  const grants = async () => (await place.person.approvals.grants()).filter((each) => each.taskId === taskId);
  return { taskId, run, answered, grants };
}

function grantCases(suite: Suite): void {
  suite.test(
    'approvals.grants.session',
    'lists an answer that holds for the session, and asks no more for the same',
    async (place) => {
      const { run, answered, grants } = await supervised(place);
      const running = run();
      await answered('session');
      expect((await running).exit.exitCode).toBe(0);
      expect((await grants()).map(({ id }) => id)).toEqual([expect.stringMatching(/^grt_[0-9a-f]{24}$/)]);
      expect((await run()).exit.exitCode).toBe(0);
    },
  );

  suite.test(
    'approvals.revoke.grant',
    'takes such an answer back, so that the next command is asked about',
    async (place) => {
      const { run, answered, grants } = await supervised(place);
      const running = run();
      await answered('session');
      await running;
      const [grant] = await grants();
      await place.person.approvals.revoke(String(grant?.id), 'tester');
      expect(await grants()).toEqual([]);
      const refusing = refused(run(), 'policy_denied');
      await answered('deny');
      await refusing;
    },
  );

  suite.test('approvals.revoke.missing', 'has nothing to take back under an id that is not there', async (place) => {
    await refused(place.person.approvals.revoke(`grt_${'0'.repeat(24)}`, 'tester'), 'not_found');
  });

  suite.test('approvals.skip.task', 'asks no more about commands of one task, until it does again', async (place) => {
    const { taskId, run, answered } = await supervised(place);
    await place.agent.approvals.skip(taskId, true);
    expect((await run()).exit.exitCode).toBe(0);
    await place.agent.approvals.skip(taskId, false);
    const refusing = refused(run(), 'policy_denied');
    await answered('deny');
    await refusing;
  });

  suite.test('approvals.skip.rules', 'keeps to rules for a task whose questions are skipped', async (place) => {
    const { taskId, run, isThere } = await asked(place);
    await place.agent.approvals.skip(taskId, true);
    const refusing = refused(run('f'), 'policy_denied');
    await place.person.approvals.answer((await question(place, taskId)).id, 'deny', 'tester');
    await refusing;
    expect(await isThere('f')).toBe(false);
    await place.agent.approvals.skip(taskId, false);
  });
}

function suggestCases(suite: Suite): void {
  suite.test('approvals.suggest.habit', 'proposes the rule of what was answered once three times', async (place) => {
    const { taskId, run } = await asked(place);
    const ask = async (): Promise<ApprovalView> => {
      const running = run('habit');
      const found = await question(place, taskId);
      await place.person.approvals.answer(found.id, 'once', 'tester');
      await running;
      return found;
    };
    const { proposal, choices } = await ask();
    await ask();
    const proposed = async (): Promise<boolean> =>
      (await place.person.approvals.suggest()).some(({ rule }) => proposal.includes(rule));
    expect(await proposed()).toBe(false);
    await ask();
    expect(await proposed()).toBe(choices.includes('always'));
  });
}
