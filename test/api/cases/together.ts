/** Two clients at the same time over one task. */
import { expect } from 'vitest';
import { ended, Reading, refused, sourceOf, textOf, whole } from '../reading.ts';
import type { Suite } from '../suite.ts';

const shell = (text: string): [string, ...string[]] => ['sh', '-c', text];

export function togetherCases(suite: Suite): void {
  suite.placeTest(
    'execs.run.together',
    'runs commands of two clients side by side, each with its own result',
    async (place) => {
      const say = (index: number) => {
        const api = index % 2 === 0 ? place.agent : place.other;
        return api.execs.run({ taskId: place.task, command: shell(`sleep 0.0${index}; echo ${index}; exit ${index}`) });
      };
      const results = await Promise.all(Array.from({ length: 8 }, (_, index) => say(index)));
      expect(results.map(({ stdout, exit }) => [stdout.text, exit.exitCode])).toEqual(
        Array.from({ length: 8 }, (_, index) => [`${index}\n`, index]),
      );
      expect(new Set(results.map(({ where }) => where.sandboxId)).size).toBe(1);
    },
  );

  suite.test('execs.run.same-id-together', 'runs once what two clients ask for at once under one id', async (place) => {
    const file = `${await place.directory()}/count`;
    const command = shell(`echo x >>${file}; sleep 0.3; echo ran; exit 6`);
    const request = { taskId: place.task, execId: `exec_${place.name('together')}`, command };
    const results = await Promise.all([place.agent, place.other].map((api) => api.execs.run(request)));
    for (const { exit, stdout } of results) expect([exit, stdout]).toMatchObject([ended(6), whole('ran\n')]);
    expect((await place.sh(`cat ${file}`)).stdout.text).toBe('x\n');
  });

  suite.test('execs.cancel.other', 'lets one client end a command of the other', async (place) => {
    const running = await place.agent.exec({ taskId: place.task, command: shell('echo up; exec sleep 300') });
    await new Reading(running.stdout).until('up');
    running.ignore();
    await place.other.execs.cancel(running.id);
    expect(['canceled', 'exited', 'signaled']).toContain((await running.exit).reason);
    expect((await place.agent.execs.get(running.id)).exit).not.toBeNull();
  });

  suite.test('files.write.together', 'lets one of two writers win that expect the same file', async (place) => {
    const { task } = place;
    const path = `${await place.directory()}/f`;
    const write = (api: typeof place.agent, bytes: string) =>
      api.files.write({ task, path, bytes, expected: null }).then(
        () => bytes,
        (error: unknown) => Reflect.get(Object(error), 'code'),
      );
    const outcomes = await Promise.all([write(place.agent, 'one'), write(place.other, 'other')]);
    expect(outcomes).toContain('conflict');
    const winner = outcomes.find((outcome) => outcome !== 'conflict');
    expect(Buffer.from((await place.agent.files.read({ task, path })).bytes).toString()).toBe(winner);
  });

  suite.test('files.read.together', 'shows one client at once what the other has written', async (place) => {
    const { task } = place;
    const path = `${await place.directory()}/f`;
    for (let round = 0; round < 5; round += 1) {
      await place.agent.files.write({ task, path, bytes: `round ${round}` });
      expect(Buffer.from((await place.other.files.read({ task, path })).bytes).toString()).toBe(`round ${round}`);
    }
  });

  suite.test(
    'sandboxes.remove.together',
    'removes a sandbox for both clients, and one of two removers finds nothing',
    async (place) => {
      const taskId = await place.fresh();
      const remove = (api: typeof place.agent) =>
        api.sandboxes.remove(taskId).then(
          () => 'removed',
          (error: unknown) => Reflect.get(Object(error), 'code'),
        );
      const outcomes = await Promise.all([remove(place.agent), remove(place.other)]);
      expect(outcomes).toContain('removed');
      await refused(place.other.sandboxes.get(taskId), 'not_found');
      await refused(place.agent.sandboxes.get(taskId), 'not_found');
    },
  );

  suite.test(
    'execs.start.read-twice',
    'gives both clients all of a command that one of them started',
    async (place) => {
      const running = await place.agent.exec({
        taskId: place.task,
        command: shell('for i in 1 2 3 4 5; do echo $i; sleep 0.1; done'),
      });
      const joined = place.other.execs.logs(running.id, { follow: true });
      const copied = (async (): Promise<string> => {
        const parts: Buffer[] = [];
        for await (const { event } of joined) if (event.type === 'stdout') parts.push(Buffer.from(event.bytes));
        return Buffer.concat(parts).toString();
      })();
      expect(await Promise.all([textOf(running.stdout), copied])).toEqual(['1\n2\n3\n4\n5\n', '1\n2\n3\n4\n5\n']);
      const own = await place.other.execs.start({ taskId: place.task, command: ['true'] });
      own.ignore();
      expect(own.id).not.toBe(running.id);
    },
  );

  suite.test('processes.input.together', 'lets the other client give a process its input', async (place) => {
    const request = { taskId: place.task, command: shell('read -r word; test "$word" = hello && exit 3'), stdin: true };
    const { id } = await place.agent.processes.start(request);
    const waiting = place.agent.processes.wait(id);
    await place.other.processes.input(id, sourceOf('hello\n'));
    expect((await waiting).exitCode).toBe(3);
  });
}
