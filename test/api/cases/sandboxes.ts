import { expect } from 'vitest';
import { everyItem } from '../../../src/service/pages.ts';
import { refused, whole } from '../reading.ts';
import type { Place } from '../place.ts';
import type { Suite } from '../suite.ts';

/** Another spec than that of the configuration, on every backend. */
const otherLimits = { limits: { cpuCores: 0.5 }, allowDegraded: true };

export function sandboxCases(suite: Suite): void {
  createCases(suite);
  nameCases(suite);
  refusalCases(suite);
  listCases(suite);
}

function createCases(suite: Suite): void {
  suite.placeTest(
    'sandboxes.create.created',
    'makes the sandbox of a task, and says what it is made from',
    async (place) => {
      const taskId = place.name();
      const { sandbox, how } = await place.agent.sandboxes.create({ taskId });
      expect([how, sandbox.id]).toEqual(['created', expect.stringMatching(/^sbx_[a-z0-9]{16}$/)]);
      const { backend } = place.subject;
      expect(sandbox).toMatchObject({ taskId, backend, state: 'ready', labels: {}, ephemeral: false, generation: 1 });
      expect(sandbox.spec).toMatchObject({ backend, network: 'open', persistent: true, mounts: [] });
      expect(new Date(sandbox.createdAt).toISOString()).toBe(sandbox.createdAt);
    },
  );

  suite.placeTest('sandboxes.create.found', 'gets the sandbox that the task has', async (place) => {
    const taskId = await place.fresh();
    const first = await place.agent.sandboxes.get(taskId);
    const { sandbox, how } = await place.agent.sandboxes.create({ taskId });
    expect([how, sandbox.id, sandbox.createdAt]).toEqual(['found', first.id, first.createdAt]);
  });

  suite.placeTest(
    'sandboxes.create.at-once',
    'makes one sandbox when a task is asked for four times at once',
    async (place) => {
      const taskId = place.name();
      const asked = [place.agent, place.other, place.agent, place.other];
      const made = await Promise.all(asked.map((api) => api.sandboxes.create({ taskId })));
      expect(new Set(made.map(({ sandbox }) => sandbox.id)).size).toBe(1);
      expect(made.filter(({ how }) => how === 'created')).toHaveLength(1);
    },
  );

  suite.test('sandboxes.create.labels', 'sets labels, and gives one that is there more of them', async (place) => {
    const taskId = await place.fresh({ labels: { team: 'a', 'example.com/stage': 'test' } });
    const { sandbox } = await place.agent.sandboxes.create({ taskId, labels: { team: 'b' } });
    expect(sandbox.labels).toEqual({ team: 'b', 'example.com/stage': 'test' });
  });

  suite.test(
    'sandboxes.create.times',
    'says when a sandbox ends that has an idle time and a lifetime',
    async (place) => {
      const taskId = await place.fresh({ idleTimeoutMs: 600_000, lifetimeMs: 3_600_000 });
      const found = await place.agent.sandboxes.get(taskId);
      expect([found.idleTimeoutMs, found.lifetimeMs]).toEqual([600_000, 3_600_000]);
      const end = found.endsBy.find(({ by }) => by === 'lifetime');
      const afterMs = Date.parse(String(end?.at)) - Date.parse(found.createdAt);
      expect([end?.does, Math.abs(afterMs - 3_600_000) < 1000]).toEqual(['remove', true]);
    },
  );

  suite.test(
    'sandboxes.create.conflict',
    'refuses another spec for a sandbox that is there, and leaves it',
    async (place) => {
      const taskId = await place.fresh();
      const { id } = await place.agent.sandboxes.get(taskId);
      await refused(place.agent.sandboxes.create({ taskId, ...otherLimits }), 'conflict');
      expect((await place.agent.sandboxes.get(taskId)).id).toBe(id);
    },
  );

  suite.placeTest('sandboxes.create.recreate', 'replaces it when that is asked for', async (place) => {
    const taskId = await place.fresh();
    const { sandbox, how } = await place.agent.sandboxes.create({ taskId, ...otherLimits, recreate: true });
    expect([how, sandbox.spec.limits.cpuCores]).toEqual(['created', 0.5]);
    const { stdout } = await place.agent.run({ taskId, command: ['echo', 'there'] });
    expect(stdout).toMatchObject(whole('there\n'));
  });

  suite.test('sandboxes.create.aborted', 'makes nothing when its signal has fired already', async (place) => {
    const taskId = place.name();
    await refused(place.agent.sandboxes.create({ taskId }, { signal: AbortSignal.abort() }), 'canceled');
    await refused(place.agent.sandboxes.get(taskId), 'not_found');
  });
}

/** Verbs whose input names its task by two keys. */
const byTwoNames: Readonly<Record<string, (place: Place, names: Names) => Promise<unknown>>> = {
  'sandboxes.create': ({ agent }, names) => agent.sandboxes.create(names),
  'execs.run': ({ agent }, names) => agent.execs.run({ ...names, command: ['true'] }),
  'processes.start': ({ agent }, names) => agent.processes.start({ ...names, command: ['true'] }),
  'sessions.open': ({ agent }, names) => agent.sessions.open({ ...names, name: 'named' }),
  'sessions.run': ({ agent }, names) => agent.sessions.run({ ...names, name: 'named', text: 'true' }),
  'sessions.close': ({ agent }, names) => agent.sessions.close({ ...names, name: 'named' }),
  'approvals.answerAll': ({ person }, names) => person.approvals.answerAll({ ...names, choice: 'deny' }, ''),
};
interface Names {
  readonly task: string;
  readonly taskId?: string;
}

function nameCases(suite: Suite): void {
  for (const [verb, act] of Object.entries(byTwoNames))
    suite.test(
      `${verb}.names`,
      'takes task, with taskId as its other name, and refuses two that differ',
      async (place) => {
        const { task } = place;
        const answer: unknown = await act(place, { task });
        if (verb === 'sandboxes.create') expect(answer).toMatchObject({ sandbox: { taskId: task } });
        await act(place, { task, taskId: task });
        await refused(act(place, { task, taskId: 'never-named' }), 'invalid_argument');
        await refused(place.agent.sandboxes.get('never-named'), 'not_found');
      },
    );
}

function refusalCases(suite: Suite): void {
  for (const [name, taskId] of Object.entries({
    empty: '',
    upper: 'Build',
    dash: '-build',
    dot: 'alice.build',
    slash: 'a/b',
    long: 'x'.repeat(64),
    sandbox: 'sbx_0123456789abcdef',
  }))
    suite.test(
      `sandboxes.create.name-${name}`,
      `refuses the task ${JSON.stringify(taskId.slice(0, 20))}`,
      async (place) => {
        await refused(place.agent.sandboxes.create({ taskId }), 'invalid_argument');
      },
    );

  for (const [name, request] of Object.entries({
    key: { netwrok: 'none' },
    backend: { backend: 'nowhere' },
    network: { network: 'most' },
    label: { labels: { 'caisson.task': 'x' } },
    'label-value': { labels: { team: 'x'.repeat(64) } },
    time: { idleTimeoutMs: 0 },
    lifetime: { lifetimeMs: 1.5 },
    cwd: { cwd: 'relative' },
  }))
    suite.test(
      `sandboxes.create.bad-${name}`,
      `refuses ${JSON.stringify(request).slice(0, 40)}, and makes nothing`,
      async (place) => {
        const taskId = place.name();
        const wanted: object = { taskId, ...request };
        await refused(place.agent.sandboxes.create(wanted), 'invalid_argument');
        expect((await place.agent.sandboxes.list({ task: taskId })).items).toEqual([]);
      },
    );
}

function listCases(suite: Suite): void {
  suite.placeTest('sandboxes.list.filter', 'lists those of a task, a backend, a state and labels', async (place) => {
    const taskId = await place.fresh({ labels: { kind: 'listed', part: '1' } });
    const tasks = async (filter: object) =>
      (await place.agent.sandboxes.list(filter)).items.map((sandbox) => sandbox.taskId);
    const { backend } = place.subject;
    expect(await tasks({ task: taskId })).toEqual([taskId]);
    expect(await tasks({ labels: { kind: 'listed' }, backend, state: 'ready' })).toEqual([taskId]);
    expect(await tasks({ labels: { kind: 'listed', part: '2' } })).toEqual([]);
    expect(await tasks({ labels: { kind: 'listed' }, state: 'stopped' })).toEqual([]);
    expect(await tasks({ labels: { kind: 'listed' }, backend: 'nowhere' })).toEqual([]);
  });

  suite.test('sandboxes.list.pages', 'gives each once, oldest first, in parts of 1 and of 2', async (place) => {
    const made = [];
    for (let count = 0; count < 3; count += 1) made.push(await place.fresh({ labels: { kind: 'paged' } }));
    for (const limit of [1, 2, 3]) {
      const parts = everyItem((page) => place.agent.sandboxes.list({ ...page, limit, labels: { kind: 'paged' } }));
      expect((await Array.fromAsync(parts)).map(({ taskId }) => taskId)).toEqual(made);
    }
  });

  for (const [name, page] of Object.entries(badPages))
    suite.test(`sandboxes.list.bad-${name}`, `refuses ${JSON.stringify(page)}`, async (place) => {
      await refused(place.agent.sandboxes.list(page), 'invalid_argument');
    });

  suite.test('sandboxes.get.names', 'shows the same by task and by sandbox id, to every client', async (place) => {
    const byTask = await place.agent.sandboxes.get(place.task);
    const { usedAt: _used, endsBy: _ends, expiresAt: _expires, ...same } = byTask;
    expect(await place.other.sandboxes.get(byTask.id)).toMatchObject({ ...same });
    expect(byTask).toMatchObject({ taskId: place.task, state: 'ready', resource: 'running' });
  });

  for (const verb of ['get', 'stop', 'remove'] as const)
    suite.test(`sandboxes.${verb}.object`, 'refuses an object that names a task, and does nothing', async (place) => {
      const given = Object({ taskId: place.task });
      await refused(place.agent.sandboxes[verb](given), 'invalid_argument');
      expect((await place.agent.sandboxes.get(place.task)).state).toBe('ready');
    });

  suite.test('sandboxes.get.missing', 'has nothing of a task without a sandbox', async (place) => {
    await refused(place.agent.sandboxes.get('never-made'), 'not_found');
    await refused(place.agent.sandboxes.get('sbx_0000000000000000'), 'not_found');
  });

  suite.test('sandboxes.get.malformed', 'has nothing under what is no name', async (place) => {
    await refused(place.agent.sandboxes.get('../../v1/tokens'), 'not_found');
  });
}

export const badPages: Readonly<Record<string, object>> = {
  'limit-0': { limit: 0 },
  'limit-1001': { limit: 1001 },
  'limit-half': { limit: 1.5 },
  cursor: { cursor: 'no cursor' },
  'cursor-empty': { cursor: '' },
};
