import { expect } from 'vitest';
import { everyItem } from '../../../src/service/pages.ts';
import type { Place } from '../place.ts';
import { ended, firstOf, refused, sourceOf, textOf } from '../reading.ts';
import type { Suite } from '../suite.ts';
import { badPages } from './sandboxes.ts';

export function recordCases(suite: Suite): void {
  listCases(suite);
  oneCases(suite);
  logCases(suite);
}

/** Three execs of a task of its own, which end with 0, 1 and 2. */
async function threeOf(place: Place): Promise<{ readonly task: string; readonly ids: readonly string[] }> {
  const task = await place.fresh();
  const ids = [0, 1, 2].map((index) => `exec_${task}-${index}`);
  for (const [index, execId] of ids.entries())
    await place.agent.run({ taskId: task, execId, command: ['sh', '-c', `exit ${index}`] });
  return { task, ids: ids.toReversed() };
}

function listCases(suite: Suite): void {
  suite.test(
    'execs.list.task',
    'gives the execs of a task to every client, newest first, with their exits',
    async (place) => {
      const { task, ids } = await threeOf(place);
      const { items, nextCursor } = await place.other.execs.list({ task });
      expect(items.map(({ id, exit }) => [id, exit?.exitCode])).toEqual(ids.map((id, index) => [id, 2 - index]));
      const { backend } = place.subject;
      expect(items[0]).toMatchObject({ command: ['sh', '-c', 'exit 2'], where: { backend, taskId: task } });
      expect(nextCursor).toBeNull();
      const { id } = await place.agent.sandboxes.get(task);
      expect((await place.agent.execs.list({ task: id })).items).toHaveLength(3);
    },
  );

  suite.test('execs.list.pages', 'gives every exec once in parts of 1, 2 and 3', async (place) => {
    const { task, ids } = await threeOf(place);
    for (const limit of [1, 2, 3]) {
      const parts = everyItem((page) => place.agent.execs.list({ ...page, limit, task }));
      expect((await Array.fromAsync(parts)).map(({ id }) => id)).toEqual(ids);
    }
  });

  suite.test('execs.list.all', 'lists execs of all tasks', async (place) => {
    const { execId } = await place.sh('true');
    expect((await place.other.execs.list({ limit: 5 })).items.map(({ id }) => id)).toContain(execId);
  });

  for (const [name, page] of Object.entries({ ...badPages, key: { tasks: 'build' } }))
    suite.test(`execs.list.bad-${name}`, `refuses ${JSON.stringify(page)}`, async (place) => {
      const wanted: object = page;
      await refused(place.agent.execs.list(wanted), 'invalid_argument');
    });
}

function oneCases(suite: Suite): void {
  suite.test('execs.get.ended', 'shows what a command was, where it ran, and how it ended', async (place) => {
    const { execId, exit, where } = await place.sh('echo hi; exit 7');
    const view = await place.other.execs.get(execId);
    expect(view).toMatchObject({ id: execId, command: ['sh', '-c', 'echo hi; exit 7'] });
    expect([view.where, view.exit]).toEqual([where, exit]);
    expect(new Date(view.startedAt).toISOString()).toBe(view.startedAt);
  });

  suite.test('execs.get.missing', 'has nothing of an id that is not on record', async (place) => {
    await refused(place.agent.execs.get('exec_never'), 'not_found');
  });

  suite.test('execs.get.malformed', 'refuses what is no id', async (place) => {
    await refused(place.agent.execs.get('build'), 'invalid_argument');
    await refused(place.agent.execs.get('exec_../../x'), 'invalid_argument');
  });

  suite.test('execs.get.running', 'has no exit while the command runs', async (place) => {
    const running = await place.agent.exec({ taskId: place.task, command: ['sleep', '300'] });
    running.ignore();
    expect((await place.other.execs.get(running.id)).exit).toBeNull();
    await running.cancel();
    expect((await place.other.execs.get(running.id)).exit).toEqual(await running.exit);
  });

  suite.placeTest('execs.cancel.own', 'ends a command by its id', async (place) => {
    const running = await place.agent.exec({ taskId: place.task, command: ['sleep', '300'] });
    running.ignore();
    await place.agent.execs.cancel(running.id);
    expect(await running.exit).toMatchObject({ reason: 'canceled' });
    expect((await place.agent.execs.get(running.id)).exit).toMatchObject({ reason: 'canceled' });
  });

  suite.test('execs.cancel.ended', 'leaves one alone that has ended', async (place) => {
    const { execId } = await place.sh('exit 5');
    await place.other.execs.cancel(execId);
    expect((await place.agent.execs.get(execId)).exit).toMatchObject(ended(5));
  });

  suite.test('execs.cancel.missing', 'has nothing to end under an id that is not on record', async (place) => {
    await refused(place.agent.execs.cancel('exec_never'), 'not_found');
  });

  suite.test('execs.cancel.process', 'refuses a detached process, which has a verb of its own', async (place) => {
    const { id } = await place.agent.processes.start({ taskId: place.task, command: ['sleep', '300'] });
    await refused(place.agent.execs.cancel(id), 'failed_precondition');
    expect((await place.agent.processes.get(id)).state).toBe('running');
    await place.agent.processes.kill(id);
  });
}

function logCases(suite: Suite): void {
  suite.test(
    'execs.logs.whole',
    'gives the record of an exec: where it started, its output, its exit',
    async (place) => {
      const { execId, exit } = await place.sh('echo out; sleep 0.2; echo error >&2; exit 3');
      const events = await Array.fromAsync(place.other.execs.logs(execId));
      expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
      const [started, out, error, end] = events.map(({ event }) => event);
      expect(started).toMatchObject({ type: 'started', command: ['sh', '-c', expect.any(String)] });
      expect([textIn(out), textIn(error)]).toEqual(['out\n', 'error\n']);
      expect(end).toEqual({ type: 'exit', exit });
      expect(new Set(events.map((event) => event.execId))).toEqual(new Set([execId]));
    },
  );

  suite.test('execs.logs.after', 'goes on behind the event that was seen last', async (place) => {
    const { execId } = await place.sh('for i in 1 2 3; do echo $i; sleep 0.1; done');
    const all = await Array.fromAsync(place.agent.execs.logs(execId));
    for (const after of [1, 2, all.length - 1])
      expect(await Array.fromAsync(place.agent.execs.logs(execId, { after }))).toEqual(all.slice(after));
  });

  suite.placeTest('execs.logs.follow', 'follows a command that another client runs, to its end', async (place) => {
    const flag = `${await place.directory()}/go`;
    const text = `echo first; until [ -e ${flag} ]; do sleep 0.05; done; echo last; exit 2`;
    const running = await place.agent.exec({ taskId: place.task, command: ['sh', '-c', text] });
    running.ignore();
    const types: string[] = [];
    let seen = '';
    for await (const { event } of place.other.execs.logs(running.id, { follow: true })) {
      types.push(event.type);
      seen += textIn(event);
      if (seen === 'first\n') await place.sh(`: >${flag}`);
    }
    expect([seen, types[0], types.at(-1)]).toEqual(['first\nlast\n', 'started', 'exit']);
  });

  suite.test('execs.logs.leave', 'may be left in the middle, and the command goes on', async (place) => {
    const text = 'echo first; sleep 0.5; echo last';
    const running = await place.agent.exec({ taskId: place.task, command: ['sh', '-c', text] });
    const isOutput = ({ event }: { readonly event: { readonly type: string } }): boolean => event.type === 'stdout';
    await firstOf(place.other.execs.logs(running.id, { follow: true }), isOutput);
    expect([await textOf(running.stdout), (await running.exit).exitCode]).toEqual(['first\nlast\n', 0]);
  });

  suite.test('execs.logs.signal', 'ends when its signal fires', async (place) => {
    const running = await place.agent.exec({ taskId: place.task, command: ['sleep', '300'] });
    running.ignore();
    const abort = new AbortController();
    const reading = Array.fromAsync(
      place.other.execs.logs(running.id, { follow: true }, { signal: abort.signal }),
    ).catch((error: unknown) => error);
    setTimeout(() => abort.abort(), 500);
    await reading;
    expect((await place.agent.execs.get(running.id)).exit).toBeNull();
    await running.cancel();
  });

  suite.test(
    'execs.logs.tail',
    'gives the last bytes of each stream, and says how many are left out',
    async (place) => {
      const { execId } = await place.sh(
        'i=0; while [ $i -lt 9 ]; do echo "line $i"; sleep 0.05; i=$((i+1)); done; echo end >&2',
      );
      const events = await Array.fromAsync(place.agent.execs.logs(execId, { tailBytes: 10 }));
      const output = (name: string) => events.map(({ event }) => (event.type === name ? textIn(event) : '')).join('');
      expect([output('stdout'), output('stderr')]).toEqual([' 7\nline 8\n', 'end\n']);
      const gaps = events.flatMap(({ event }) => (event.type === 'gap' ? [event] : []));
      expect(gaps).toEqual([{ type: 'gap', stream: 'stdout', bytes: 53 }]);
      expect(events.at(-1)?.event.type).toBe('exit');
      const { id } = await place.agent.processes.start({ taskId: place.task, command: ['true'] });
      for (const wrong of [id, place.task])
        await refused(Array.fromAsync(place.agent.execs.logs(wrong, { tailBytes: 10 })), 'invalid_argument');
      await refused(Array.fromAsync(place.agent.execs.logs(execId, { tailBytes: -1 })), 'invalid_argument');
    },
  );

  suite.test('execs.logs.task', 'gives the events of all execs of a task', async (place) => {
    const { task, ids } = await threeOf(place);
    const events = await Array.fromAsync(place.agent.execs.logs(task));
    expect([...new Set(events.map(({ execId }) => execId))]).toEqual(ids.toReversed());
  });

  suite.test('execs.logs.missing', 'has no record of an id that was never used', async (place) => {
    await refused(Array.fromAsync(place.agent.execs.logs('exec_never')), 'not_found');
  });

  suite.placeTest(
    'execs.logs.process',
    'gives the output of a detached process, while it runs and afterwards',
    async (place) => {
      const command: [string, ...string[]] = ['sh', '-c', 'echo one; read -r _; echo two; exit 3'];
      const { id } = await place.agent.processes.start({ taskId: place.task, command, stdin: true });
      const output = (async (): Promise<string> => {
        let text = '';
        for await (const { event } of place.other.execs.logs(id, { follow: true })) text += textIn(event);
        return text;
      })();
      await place.agent.processes.input(id, sourceOf('\n'));
      expect(await output).toBe('one\ntwo\n');
      const last = (await Array.fromAsync(place.agent.execs.logs(id))).at(-1);
      expect(last?.event).toMatchObject({ type: 'exit', exit: { exitCode: 3 } });
    },
  );
}

function textIn(event: object | undefined): string {
  const bytes: unknown = event === undefined ? undefined : Reflect.get(event, 'bytes');
  return bytes instanceof Uint8Array ? Buffer.from(bytes).toString() : '';
}
