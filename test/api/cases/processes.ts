import { glob, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'vitest';
import { calling, refused, sourceOf } from '../reading.ts';
import type { Suite } from '../suite.ts';

const shell = (text: string): [string, ...string[]] => ['sh', '-c', text];

export function processCases(suite: Suite): void {
  startCases(suite);
  inputCases(suite);
  endCases(suite);
}

function startCases(suite: Suite): void {
  suite.placeTest('processes.start.started', 'starts a command that outlives its request', async (place) => {
    const { agent, task } = place;
    const { id, started, where } = await agent.processes.start({ taskId: task, command: shell('sleep 0.3; exit 4') });
    expect([started, where.taskId, id]).toEqual([true, task, expect.stringMatching(/^exec_/)]);
    expect(await place.other.processes.wait(id)).toMatchObject({ id, state: 'exited', exitCode: 4, supervised: true });
  });

  suite.test('processes.start.same-id', 'starts nothing a second time under an id that it knows', async (place) => {
    const file = `${await place.directory()}/count`;
    const request = { taskId: place.task, execId: `exec_${place.name('once')}`, command: shell(`echo x >>${file}`) };
    const first = await place.agent.processes.start(request);
    await place.agent.processes.wait(first.id);
    const second = await place.other.processes.start(request);
    expect([first.started, second.started, second.id]).toEqual([true, false, first.id]);
    expect((await place.sh(`cat ${file}`)).stdout.text).toBe('x\n');
  });

  suite.test('processes.start.new-task', 'makes the sandbox of a task that has none', async (place) => {
    const taskId = place.name();
    const { id, where } = await place.agent.processes.start({ taskId, command: ['true'] });
    expect((await place.agent.sandboxes.get(taskId)).id).toBe(where.sandboxId);
    expect((await place.agent.processes.wait(id)).exitCode).toBe(0);
  });

  suite.placeTest('processes.start.environment', 'has its variables and its directory', async (place) => {
    const file = `${await place.directory()}/said`;
    const request = {
      taskId: place.task,
      command: shell(`echo "$WORD $PWD" >${file}`),
      env: { WORD: 'a b' },
      cwd: '/usr',
    };
    const { id } = await place.agent.processes.start(request);
    expect((await place.agent.processes.wait(id)).exitCode).toBe(0);
    expect((await place.sh(`cat ${file}`)).stdout.text).toBe('a b /usr\n');
  });

  suite.test('processes.start.refused', 'refuses a key that is not known, and what a rule denies', async (place) => {
    const request: object = { taskId: place.task, command: ['true'], environment: {} };
    await refused(calling(place.agent.processes, 'start', request), 'invalid_argument');
    const taskId = await place.fresh({}, 'asked');
    await refused(place.agent.processes.start({ taskId, command: ['mkfifo', 'pipe'] }), 'policy_denied');
    expect(await place.agent.processes.list({ task: taskId })).toEqual([]);
  });

  suite.placeTest('processes.list.task', 'lists the processes of a task, with how they are', async (place) => {
    const taskId = await place.fresh();
    const { agent } = place;
    const ended = await agent.processes.start({ taskId, command: shell('exit 3') });
    await agent.processes.wait(ended.id);
    const running = await agent.processes.start({ taskId, command: ['sleep', '300'] });
    const found = await place.other.processes.list({ task: taskId });
    expect(found.map(({ id, state, exitCode }) => [id, state, exitCode])).toEqual(
      expect.arrayContaining([
        [ended.id, 'exited', 3],
        [running.id, 'running', null],
      ]),
    );
    expect(new Set(found.map((each) => each.taskId))).toEqual(new Set([taskId]));
    expect((await agent.processes.list()).map(({ id }) => id)).toContain(running.id);
    await agent.processes.kill(running.id);
  });

  suite.test('processes.list.unreadable', 'says of a sandbox that cannot be read that it cannot be', async (place) => {
    const [hostile, other] = [await place.fresh(), await place.fresh()];
    const { agent } = place;
    const { id: kept, where } = await agent.processes.start({ taskId: hostile, command: ['sleep', '300'] });
    const { id } = await agent.processes.start({ taskId: other, command: ['sleep', '300'] });
    const state = (await place.sh('printf %s "${XDG_STATE_HOME:-$HOME/.local/state}"')).stdout.text;
    const [entry = ''] = await Array.fromAsync(glob(`${state}/caisson/**/*${kept.slice(-12)}`));
    const fakes = Array.from({ length: 400 }, (_, at) => join(entry, '..', `exec_fake${at}`));
    for (const fake of fakes) await mkdir(fake).then(() => writeFile(join(fake, 'command'), 'x'.repeat(4000)));
    const rows = await agent.processes.list();
    for (const fake of fakes) await rm(fake, { recursive: true });
    expect(rows.find(({ sandboxId }) => sandboxId === where.sandboxId)).toMatchObject({
      id: where.sandboxId,
      state: 'unreadable',
      taskId: hostile,
      note: expect.stringContaining('cannot be read'),
    });
    expect(rows.map((row) => row.id)).toContain(id);
    await Promise.all([agent.processes.kill(kept), agent.processes.kill(id)]);
  });

  suite.test('processes.get.missing', 'has nothing of an id that was never used', async (place) => {
    await refused(place.agent.processes.get('exec_never'), 'not_found');
  });

  suite.placeTest('processes.get.running', 'shows a process to every client while it runs', async (place) => {
    const { id } = await place.agent.processes.start({ taskId: place.task, command: ['sleep', '300'] });
    const view = await place.other.processes.get(id);
    expect(view).toMatchObject({ id, command: ['sleep', '300'], state: 'running', exitCode: null, inputOpen: false });
    await place.agent.processes.kill(id);
  });
}

function inputCases(suite: Suite): void {
  suite.placeTest('processes.input.passed', 'passes input on to a process, and then end of file', async (place) => {
    const file = `${await place.directory()}/said`;
    const request = { taskId: place.task, command: shell(`cat >${file}; exit 3`), stdin: true };
    const { id } = await place.agent.processes.start(request);
    expect((await place.agent.processes.get(id)).inputOpen).toBe(true);
    await place.agent.processes.input(id, Readable.from([Buffer.from('one\n'), Buffer.from([0, 255])]));
    expect(await place.agent.processes.wait(id)).toMatchObject({ exitCode: 3, inputOpen: false });
    expect((await place.sh(`od -An -tx1 ${file}`)).stdout.text.trim()).toBe('6f 6e 65 0a 00 ff');
  });

  suite.test(
    'processes.input.closed',
    'refuses input for a process that has none, and once it has ended',
    async (place) => {
      const { agent, task } = place;
      const none = await agent.processes.start({ taskId: task, command: ['sleep', '300'] });
      await refused(agent.processes.input(none.id, sourceOf('x')), 'failed_precondition');
      await agent.processes.kill(none.id);
      const once = await agent.processes.start({ taskId: task, command: ['cat'], stdin: true });
      await agent.processes.input(once.id, sourceOf('x'));
      await agent.processes.wait(once.id);
      await refused(agent.processes.input(once.id, sourceOf('x')), 'failed_precondition');
    },
  );
}

function endCases(suite: Suite): void {
  suite.placeTest('processes.wait.ended', 'answers at once for one that has ended, with its times', async (place) => {
    const { id } = await place.agent.processes.start({ taskId: place.task, command: shell('sleep 0.2') });
    const first = await place.agent.processes.wait(id);
    const { taskId: _task, sandboxId: _sandbox, ...again } = await place.agent.processes.get(id);
    expect(again).toEqual(first);
    expect(Date.parse(String(first.endedAt))).toBeGreaterThanOrEqual(Date.parse(String(first.startedAt)));
  });

  suite.test('processes.wait.missing', 'does not wait for an id that was never used', async (place) => {
    await refused(place.agent.processes.wait('exec_never'), 'not_found');
  });

  suite.test(
    'processes.wait.aborted',
    'stops waiting when its signal fires, and the process goes on',
    async (place) => {
      const { id } = await place.agent.processes.start({ taskId: place.task, command: ['sleep', '300'] });
      const waiting = place.agent.processes.wait(id, { signal: AbortSignal.timeout(300) });
      await expect(waiting).rejects.toMatchObject({ code: 'timed_out' });
      expect((await place.agent.processes.get(id)).state).toBe('running');
      await place.agent.processes.kill(id);
    },
  );

  suite.placeTest('processes.kill.tree', 'ends a process with all that it started', async (place) => {
    const file = `${await place.directory()}/pid`;
    const command = shell(`sleep 300 & echo $! >${file}; wait`);
    const { id } = await place.agent.processes.start({ taskId: place.task, command });
    await expect
      .poll(async () => (await place.sh(`cat ${file} 2>/dev/null`)).stdout.text, { timeout: 20_000 })
      .not.toBe('');
    const { process, survivors } = await place.other.processes.kill(id);
    expect([process.id, survivors]).toEqual([id, []]);
    expect((await place.agent.processes.wait(id)).state).not.toBe('running');
    expect(await place.isAlive((await place.sh(`cat ${file}`)).stdout.text)).toBe(false);
  });

  suite.placeTest('processes.kill.signal', 'only sends another signal, which the process may catch', async (place) => {
    const text = 'trap "exit 9" USR1; echo up; while :; do sleep 0.1; done';
    const { id } = await place.agent.processes.start({ taskId: place.task, command: shell(text) });
    for await (const { event } of place.agent.execs.logs(id, { follow: true })) if (event.type === 'stdout') break;
    await place.agent.processes.kill(id, 'USR1');
    expect(await place.agent.processes.wait(id)).toMatchObject({ state: 'exited', exitCode: 9 });
  });

  suite.test('processes.kill.bad-signal', 'refuses what is no signal', async (place) => {
    const { id } = await place.agent.processes.start({ taskId: place.task, command: ['sleep', '300'] });
    await refused(place.agent.processes.kill(id, 'NOTHING'), 'invalid_argument');
    expect((await place.agent.processes.get(id)).state).toBe('running');
    await place.agent.processes.kill(id);
  });

  suite.test('processes.kill.missing', 'has nothing to end under an id that was never used', async (place) => {
    await refused(place.agent.processes.kill('exec_never'), 'not_found');
  });
}
