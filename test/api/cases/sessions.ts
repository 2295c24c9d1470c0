import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Place } from '../place.ts';
import { bytesOf, ended, Reading, refused, textOf } from '../reading.ts';
import type { Suite } from '../suite.ts';

export function sessionCases(suite: Suite): void {
  stateCases(suite);
  queueCases(suite);
  textCases(suite);
  endCases(suite);
}

type More = Pick<Parameters<Place['agent']['sessions']['run']>[0], 'timeoutMs' | 'env' | 'execId'>;

/** Texts of one session. */
function sayingIn(place: Place) {
  const name = place.name('session');
  const say = (text: string, more: More = {}, signal?: AbortSignal) =>
    place.agent.sessions.run({ taskId: place.task, name, text, ...more }, signal === undefined ? {} : { signal });
  return { name, say };
}

function stateCases(suite: Suite): void {
  suite.test(
    'sessions.run.words',
    'runs a program with its arguments as they are, and refuses an empty list',
    async (place) => {
      const { name } = sayingIn(place);
      const session = { task: place.task, name };
      const words = ["it's", '$HOME `id` \\', 'a\nb', '', '*'];
      const { stdout } = await place.agent.sessions.run({ ...session, text: ['printf', '[%s]', ...words] });
      expect(stdout.text).toBe(words.map((word) => `[${word}]`).join(''));
      await refused(place.agent.sessions.run({ ...session, text: [] }), 'invalid_argument');
    },
  );

  suite.placeTest(
    'sessions.run.state',
    'keeps directory, variables, functions and aliases from one text to the next',
    async (place) => {
      const { say } = sayingIn(place);
      const first = await say('cd /usr; X="a  b"; export Y=exported; f() { echo "f $1 $X"; }; alias hi="echo hello"');
      expect(first).toMatchObject({ exit: ended(0), restored: false, lost: [], sessionEnded: false });
      const { stdout, stderr, exit } = await say('pwd; f one; hi; printenv Y; echo err >&2; (exit 7)');
      expect([stdout.text, stderr.text, exit.exitCode]).toEqual(['/usr\nf one a  b\nhello\nexported\n', 'err\n', 7]);
    },
  );

  suite.placeTest('sessions.run.environment', 'sets variables for one text alone', async (place) => {
    const { say } = sayingIn(place);
    await say('WORD=mine');
    expect((await say('echo $WORD', { env: { WORD: 'given' } })).stdout.text).toBe('given\n');
    expect((await say('echo $WORD')).stdout.text).toBe('mine\n');
  });

  suite.test('sessions.run.same-id', 'runs no text twice under an id that it knows', async (place) => {
    const { say } = sayingIn(place);
    const execId = `exec_${place.name('text')}`;
    expect((await say('echo $((N+=1))', { execId })).stdout.text).toBe('1\n');
    await refused(say('echo $((N+=1))', { execId }), 'already_exists');
    expect((await say('echo $N')).stdout.text).toBe('1\n');
  });

  suite.placeTest('sessions.run.apart', 'keeps two sessions of a task apart', async (place) => {
    const [one, other] = [sayingIn(place), sayingIn(place)];
    await Promise.all([one.say('X=one'), other.say('X=other')]);
    const said = await Promise.all([one.say('echo $X'), other.say('echo $X')]);
    expect(said.map(({ stdout }) => stdout.text)).toEqual(['one\n', 'other\n']);
  });

  suite.test('sessions.run.missing', 'has no session in a task without a sandbox', async (place) => {
    const text = { taskId: 'never-made', name: 'a', text: 'true' };
    await refused(place.agent.sessions.run(text), 'not_found');
  });

  suite.test('sessions.run.refused', 'refuses a bad name, an unknown key, and what a rule denies', async (place) => {
    const { agent, task: taskId } = place;
    await refused(agent.sessions.run({ taskId, name: 'A b', text: 'true' }), 'invalid_argument');
    const wrong = { taskId, name: 'a', text: 'true', cwd: '/' };
    await refused(agent.sessions.run(wrong), 'invalid_argument');
    const asked = await place.fresh({}, 'asked');
    await refused(agent.sessions.run({ taskId: asked, name: 'a', text: 'mkfifo pipe' }), 'policy_denied');
  });
}

function queueCases(suite: Suite): void {
  suite.test('sessions.run.queue', 'runs texts of one session in the order in which they came', async (place) => {
    const { say } = sayingIn(place);
    await say('said=');
    const words = ['one', 'two', 'three', 'four'];
    const results = await Promise.all(
      words.map(async (word, index) => {
        await delay(index * 50);
        return await say(`sleep 0.3; said="$said $((n+=1))"; echo ${word}`);
      }),
    );
    expect(results.map(({ stdout }) => stdout.text)).toEqual(words.map((word) => `${word}\n`));
    expect((await say('echo $said')).stdout.text).toBe('1 2 3 4\n');
  });

  suite.test(
    'sessions.run.giving-up',
    'goes on when one that waited gave up, and that one has not run',
    async (place) => {
      const { say } = sayingIn(place);
      await say('true');
      const first = say('ran=first; sleep 1');
      await delay(100);
      const waiting = say('ran="$ran waiting"', {}, AbortSignal.timeout(300));
      await expect(waiting).rejects.toMatchObject({ code: 'timed_out' });
      expect([(await first).exit.exitCode, (await say('echo $ran')).stdout.text]).toEqual([0, 'first\n']);
    },
  );
}

function textCases(suite: Suite): void {
  const start = (place: Place, text: string, env: Readonly<Record<string, string>> = {}) =>
    place.agent.sessions.exec({ taskId: place.task, name: place.name('session'), text, env });

  suite.placeTest(
    'sessions.exec.streams',
    'gives the output of a text as it comes, both streams apart, and then its exit',
    async (place) => {
      const flags = await place.directory();
      const until = (flag: string): string => `until [ -e ${flags}/${flag} ]; do sleep 0.02; done`;
      const running = await start(place, `echo first; ${until('one')}; echo '> ' >&2; ${until('two')}; exit 3`);
      const [stdout, stderr] = [new Reading(running.stdout), new Reading(running.stderr)];
      expect(await stdout.until('first\n')).toBe('first\n');
      await place.sh(`: >${flags}/one`);
      expect(await stderr.until('> ')).toBe('> \n');
      await place.sh(`: >${flags}/two`);
      expect(await running.exit).toMatchObject({ ...ended(3), stdout: { bytes: 6 } });
      expect(await running.session).toEqual({ sessionEnded: true, endStatus: 3 });
      const events = await Array.fromAsync(place.agent.execs.logs(running.id));
      expect(events.map(({ event }) => event.type)).toEqual(['started', 'stdout', 'stderr', 'exit']);
    },
  );

  suite.test('sessions.exec.alone', 'has its session for itself until it has ended', async (place) => {
    const { name, say } = sayingIn(place);
    const flag = `${await place.directory()}/go`;
    const text = `echo first; until [ -e ${flag} ]; do sleep 0.02; done; echo last`;
    const running = await place.agent.sessions.exec({ taskId: place.task, name, text });
    const stdout = new Reading(running.stdout);
    await stdout.until('first\n');
    let isNextDone = false;
    const next = say('echo next').then((result) => ((isNextDone = true), result));
    await delay(300);
    expect(isNextDone).toBe(false);
    await place.sh(`: >${flag}`);
    expect((await stdout.rest()).toString()).toBe('last\n');
    running.ignore();
    expect((await next).stdout.text).toBe('next\n');
  });

  suite.test('sessions.exec.secret', 'is without secrets, also when they come in pieces', async (place) => {
    const flag = `${await place.directory()}/go`;
    const wait = `until [ -e ${flag} ]; do sleep 0.02; done`;
    const text = `printf '<%s' "\${KEY%??????}"; ${wait}; printf '%s>\\n' "\${KEY#"\${KEY%??????}"}"`;
    const running = await start(place, text, { MY_API_KEY: 'a-value-to-hide', KEY: 'a-value-to-hide' });
    const stdout = new Reading(running.stdout);
    expect(await stdout.until('<')).toBe('<');
    await place.sh(`: >${flag}`);
    expect(await stdout.until('>\n')).toMatch(/^\[REDACTED:\w+\]>\n$/);
    running.ignore();
    expect((await running.exit).redactions).toBe(1);
  });

  suite.placeTest('sessions.exec.large', 'gives all of much output to a reader that comes late', async (place) => {
    const running = await start(place, 'head -c 8000000 /dev/zero; echo done >&2');
    await delay(300);
    const [stdout, stderr] = await Promise.all([bytesOf(running.stdout), textOf(running.stderr)]);
    expect([stdout.length, stderr, (await running.exit).exitCode]).toEqual([8_000_000, 'done\n', 0]);
    expect(await running.session).toEqual({ sessionEnded: false, endStatus: null });
  });
}

function endCases(suite: Suite): void {
  suite.placeTest(
    'sessions.run.timeout',
    'loses its shell with a text that runs out of time, and the next has the state from before',
    async (place) => {
      const { say } = sayingIn(place);
      await say('X="kept $(echo so)"; f() { echo "f $X"; }; cd /usr');
      const late = await say('X=changed; echo begun; sleep 30; echo BAD', { timeoutMs: 600 });
      expect(late).toMatchObject({ sessionEnded: true, restored: false, exit: { reason: 'timed-out', survivors: [] } });
      expect(late.stdout.text).toBe('begun\n');
      const next = await say('f; pwd');
      expect(next).toMatchObject({ sessionEnded: false, restored: true, lost: [] });
      expect(next.stdout.text).toBe('f kept so\n/usr\n');
      expect((await say('f')).restored).toBe(false);
    },
  );

  suite.placeTest('sessions.run.canceled', 'keeps its state when a text is canceled', async (place) => {
    const { say } = sayingIn(place);
    await say('Y=1');
    const canceled = await say('sleep 30', {}, AbortSignal.timeout(500));
    expect(canceled.exit.reason).toBe('canceled');
    expect((await say('echo $Y')).stdout.text).toBe('1\n');
  });

  suite.placeTest(
    'sessions.open.again',
    'says once, to the caller that opens it again, what could not be taken up',
    async (place) => {
      const { name, say } = sayingIn(place);
      const lost = ['limits set by ulimit'];
      await say('ulimit -S -n 100');
      expect((await say('exit 3')).sessionEnded).toBe(true);
      expect(await say('exit 4')).toMatchObject({ restored: true, lost });
      expect(await say('ulimit -S -n 100')).toMatchObject({ restored: true, lost });
      await say('exit 3');
      expect(await place.agent.sessions.open({ taskId: place.task, name })).toMatchObject({ restored: true, lost });
      expect(await place.agent.sessions.open({ taskId: place.task, name })).toMatchObject({ lost: [] });
      expect((await say('true')).lost).toEqual([]);
    },
  );

  suite.test('sessions.list.object', 'refuses an object that names a task', async (place) => {
    await refused(place.agent.sessions.list(Object({ taskId: place.task })), 'invalid_argument');
  });

  suite.test('sessions.list.kept', 'lists sessions while state of them is kept', async (place) => {
    const taskId = await place.fresh();
    const { sessions } = place.agent;
    const states = async (): Promise<unknown> =>
      (await sessions.list(taskId)).map(({ name, open, shell }) => [name, open, shell]);
    expect(await states()).toEqual([]);
    expect(await sessions.open({ taskId, name: 'a' })).toMatchObject({ open: true, restored: false });
    expect((await sessions.run({ taskId, name: 'b', text: 'Z=1; true' })).exit.exitCode).toBe(0);
    expect((await sessions.run({ taskId, name: 'b', text: 'exit 3' })).sessionEnded).toBe(true);
    expect(await states()).toEqual([
      ['a', true, 'bash'],
      ['b', false, null],
    ]);
  });

  suite.test(
    'sessions.close.forgotten',
    'forgets a session that is closed, and takes one that never was',
    async (place) => {
      const taskId = await place.fresh();
      const { sessions } = place.agent;
      await sessions.run({ taskId, name: 'a', text: 'Z=1' });
      await sessions.close({ taskId, name: 'a' });
      await sessions.close({ taskId, name: 'never' });
      expect(await sessions.list(taskId)).toEqual([]);
      const again = await sessions.run({ taskId, name: 'a', text: 'echo "${Z-unset}"' });
      expect([again.restored, again.stdout.text]).toEqual([false, 'unset\n']);
    },
  );
}
