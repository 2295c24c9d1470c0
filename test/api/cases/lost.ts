/**
 * Connections that break while something is under way. Through a service each of these loses its connections, some of them several
 * times; embedded there are no connections, and the result must be the same.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Place } from '../place.ts';
import { ended, firstOf, numbered, textOf, whole } from '../reading.ts';
import type { Suite } from '../suite.ts';

const shell = (text: string): [string, ...string[]] => ['sh', '-c', text];
const lines = (count: number, pause: string): string =>
  `i=1; while [ $i -le ${count} ]; do echo "line $i"; i=$((i+1)); ${pause}; done`;

/** Breaks all connections again and again while the work goes on. */
async function whileCut<Result>(place: Place, work: () => Promise<Result>, everyMs = 150): Promise<Result> {
  const timer = setInterval(() => place.cut(), everyMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

export function lostCases(suite: Suite): void {
  streamCases(suite);
  waitCases(suite);
  followCases(suite);
}

function streamCases(suite: Suite): void {
  suite.placeTest('execs.start.lost', 'gives every line once when the connection breaks once', async (place) => {
    const running = await place.agent.execs.start({ taskId: place.task, command: shell(lines(20, 'sleep 0.05')) });
    setTimeout(() => place.cut(), 300);
    expect(await textOf(running.stdout)).toBe(numbered(20));
    expect(await running.exit).toMatchObject({ ...ended(0), stdout: { complete: true } });
  });

  suite.test(
    'execs.start.lost-often',
    'gives every line once, on both streams, when connections break again and again',
    async (place) => {
      const text = `${lines(60, 'sleep 0.02')}; ${lines(20, ':')} >&2; exit 9`;
      const running = await place.agent.execs.start({ taskId: place.task, command: shell(text) });
      const [stdout, stderr] = await whileCut(place, () =>
        Promise.all([textOf(running.stdout), textOf(running.stderr)]),
      );
      expect([stdout, stderr]).toEqual([numbered(60), numbered(20)]);
      expect(await running.exit).toMatchObject(ended(9));
    },
  );

  suite.placeTest(
    'execs.start.lost-large',
    'gives every byte of much output when connections break on the way',
    async (place) => {
      const text = 'for c in a b c d; do head -c 2000000 /dev/zero | tr "\\0" $c; sleep 0.1; done';
      const running = await place.agent.execs.start({ taskId: place.task, command: shell(text) });
      const output = await whileCut(place, () => textOf(running.stdout), 100);
      expect(output === [...'abcd'].map((letter) => letter.repeat(2_000_000)).join('')).toBe(true);
      expect((await running.exit).exitCode).toBe(0);
    },
  );

  suite.test(
    'execs.start.lost-once-run',
    'runs a command once when the connection breaks as it starts',
    async (place) => {
      const file = `${await place.directory()}/count`;
      for (let round = 0; round < 5; round += 1) {
        const request = { taskId: place.task, command: shell(`echo ${round} >>${file}; sleep 0.1; echo ran`) };
        setTimeout(() => place.cut(), round * 15);
        const running = await place.agent.execs.start(request);
        expect([await textOf(running.stdout), (await running.exit).exitCode]).toEqual(['ran\n', 0]);
      }
      expect((await place.sh(`cat ${file}`)).stdout.text).toBe('0\n1\n2\n3\n4\n');
    },
  );

  suite.test(
    'execs.logs.lost',
    'follows a record to its end, each event once, when connections break',
    async (place) => {
      const running = await place.agent.exec({ taskId: place.task, command: shell(lines(40, 'sleep 0.03')) });
      running.ignore();
      const events = await whileCut(place, () => Array.fromAsync(place.other.execs.logs(running.id, { follow: true })));
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      expect(events.at(-1)?.event.type).toBe('exit');
      const output = events.flatMap(({ event }) => (event.type === 'stdout' ? [Buffer.from(event.bytes)] : []));
      expect(Buffer.concat(output).toString()).toBe(numbered(40));
    },
  );

  suite.test('execs.start.lost-canceled', 'is ended by its caller also after the connection broke', async (place) => {
    const running = await place.agent.execs.start({ taskId: place.task, command: ['sleep', '300'] });
    running.ignore();
    place.cut();
    await running.cancel();
    expect((await running.exit).reason).toBe('canceled');
  });
}

function waitCases(suite: Suite): void {
  suite.test(
    'execs.run.lost',
    'gives the result of a command, which ran once, when connections break',
    async (place) => {
      const file = `${await place.directory()}/count`;
      const command = shell(`echo x >>${file}; ${lines(20, 'sleep 0.05')}; exit 5`);
      const { exit, stdout } = await whileCut(place, () => place.agent.execs.run({ taskId: place.task, command }));
      expect([exit, stdout]).toMatchObject([ended(5), whole(numbered(20))]);
      expect((await place.sh(`cat ${file}`)).stdout.text).toBe('x\n');
    },
  );

  suite.placeTest(
    'sessions.run.lost',
    'gives the result of a text, which ran once, when the connection breaks',
    async (place) => {
      const session = { taskId: place.task, name: place.name('session') };
      await place.agent.sessions.run({ ...session, text: 'N=0' });
      setTimeout(() => place.cut(), 300);
      const { exit, stdout } = await place.agent.sessions.run({ ...session, text: 'N=$((N+1)); sleep 0.8; echo "$N"' });
      expect([exit.exitCode, stdout.text]).toEqual([0, '1\n']);
      expect((await place.agent.sessions.run({ ...session, text: 'echo $N' })).stdout.text).toBe('1\n');
    },
  );

  suite.placeTest(
    'processes.wait.lost',
    'waits for the end of a process over connections that break',
    async (place) => {
      const { id } = await place.agent.processes.start({ taskId: place.task, command: shell('sleep 1.2; exit 8') });
      const found = await whileCut(place, () => place.agent.processes.wait(id), 300);
      expect(found).toMatchObject({ id, state: 'exited', exitCode: 8 });
    },
  );

  suite.placeTest(
    'sandboxes.create.lost',
    'makes one sandbox when the connection breaks while it is made',
    async (place) => {
      const taskId = place.name();
      setTimeout(() => place.cut(), 10);
      const { sandbox } = await place.agent.sandboxes.create({ taskId });
      const { items } = await place.agent.sandboxes.list({ task: taskId });
      expect(items.map(({ id }) => id)).toEqual([sandbox.id]);
    },
  );

  suite.placeTest('files.read.lost', 'reads a file over connections that break', async (place) => {
    const { task, agent } = place;
    const path = `${await place.directory()}/f`;
    const bytes = Buffer.alloc(8 * 2 ** 20, 'abcdefg');
    await agent.files.write({ task, path, bytes });
    for (let round = 0; round < 4; round += 1) {
      setTimeout(() => place.cut(), round * 10);
      const read = await agent.files.read({ task, path, length: bytes.length });
      expect(Buffer.from(read.bytes).equals(bytes)).toBe(true);
    }
  });

  suite.test('sandboxes.list.lost', 'answers after every connection has broken', async (place) => {
    for (let round = 0; round < 5; round += 1) {
      place.cut();
      expect((await place.agent.sandboxes.list({ task: place.task })).items).toHaveLength(1);
      place.cut();
      expect((await place.agent.sandboxes.get(place.task)).state).toBe('ready');
    }
  });
}

function followCases(suite: Suite): void {
  suite.test('events.follow.lost', 'follows events, each once, when connections break', async (place) => {
    const newest = await place.newest();
    const abort = new AbortController();
    const made = [place.name(), place.name(), place.name()];
    const seqs: number[] = [];
    const reading = (async (): Promise<void> => {
      const wanted = new Set(made);
      for await (const { seq, data } of place.agent.events.follow(
        { after: newest, follow: true },
        { signal: abort.signal },
      )) {
        seqs.push(seq);
        if (data['to'] === 'ready') wanted.delete(String(data['taskId']));
        if (wanted.size === 0) return;
      }
    })();
    for (const taskId of made) {
      await place.other.sandboxes.create({ taskId });
      place.cut();
      await sleep(200);
      place.cut();
    }
    await reading;
    abort.abort();
    expect(seqs).toEqual([...new Set(seqs)].toSorted((one, other) => one - other));
    const kept = await Array.fromAsync(place.agent.events.follow({ after: newest }));
    expect(seqs).toEqual(kept.slice(0, seqs.length).map(({ seq }) => seq));
  });

  suite.test('approvals.answer.lost', 'runs a command that was approved after its connection broke', async (place) => {
    const taskId = await place.fresh({}, 'asked');
    const file = `${await place.directory(taskId)}/f`;
    const running = place.agent.run({ taskId, command: shell(`touch ${file} && echo x >>${file} && cat ${file}`) });
    const find = async () => (await place.person.approvals.list()).find((each) => each.taskId === taskId)?.id;
    await expect.poll(find, { timeout: 20_000 }).toBeDefined();
    place.cut();
    await sleep(300);
    await expect.poll(find, { timeout: 20_000 }).toBeDefined();
    await place.person.approvals.answer(String(await find()), 'once', 'tester');
    expect((await running).stdout).toMatchObject(whole('x\n'));
  });

  suite.test('audit.tail.lost', 'follows the audit when the connection breaks', async (place) => {
    const abort = new AbortController();
    const records = place.agent.audit.tail({ count: 0, follow: true }, { signal: abort.signal });
    const seen = firstOf(records, (record) => record.type === 'exit' && record['exit_code'] === 45);
    await sleep(300);
    place.cut();
    const runs = setInterval(() => void place.sh('exit 45').catch(() => undefined), 500);
    expect((await seen)['taskId']).toBe(place.task);
    clearInterval(runs);
    abort.abort();
  });
}
