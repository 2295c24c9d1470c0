import { expect } from 'vitest';
import { refused, whole } from '../reading.ts';
import type { Suite } from '../suite.ts';

export function lifeCases(suite: Suite): void {
  changeCases(suite);
  powerCases(suite);
  figureCases(suite);
}

function changeCases(suite: Suite): void {
  suite.test(
    'sandboxes.update.labels',
    'sets labels beside those that are there, and removes one by null',
    async (place) => {
      const taskId = await place.fresh({ labels: { team: 'a', stage: 'test' } });
      const changed = await place.agent.sandboxes.update(taskId, { labels: { team: 'b', stage: null, more: '' } });
      expect(changed.labels).toEqual({ team: 'b', more: '' });
      expect((await place.agent.sandboxes.get(taskId)).labels).toEqual({ team: 'b', more: '' });
    },
  );

  suite.test('sandboxes.update.times', 'changes one time and leaves the other', async (place) => {
    const taskId = await place.fresh({ idleTimeoutMs: 600_000, lifetimeMs: 3_600_000 });
    const changed = await place.agent.sandboxes.update(taskId, { lifetimeMs: null });
    expect([changed.idleTimeoutMs, changed.lifetimeMs]).toEqual([600_000, null]);
  });

  suite.test('sandboxes.update.missing', 'has nothing to change of a task without a sandbox', async (place) => {
    await refused(place.agent.sandboxes.update('never-made', { labels: { a: 'b' } }), 'not_found');
  });

  suite.test('sandboxes.update.bad-key', 'refuses a key that is not known, and changes nothing', async (place) => {
    const change: object = { labels: { changed: 'yes' }, image: 'another' };
    await refused(place.agent.sandboxes.update(place.task, change), 'invalid_argument');
    expect((await place.agent.sandboxes.get(place.task)).labels).toEqual({});
  });
}

function powerCases(suite: Suite): void {
  suite.placeTest(
    'sandboxes.stop.stopped',
    'stops a sandbox, again too, and a command starts it with its files',
    async (place) => {
      const taskId = await place.fresh();
      const { agent } = place;
      const { id, spec } = await agent.sandboxes.get(taskId);
      const path = place.subject.isContained ? `${spec.cwd}/kept` : `${await place.directory(taskId)}/kept`;
      await agent.files.write({ task: taskId, path, bytes: 'kept' });
      await agent.sandboxes.stop(taskId);
      await agent.sandboxes.stop(taskId);
      expect((await agent.sandboxes.get(taskId)).state).toBe('stopped');
      const { stdout, where } = await agent.run({ taskId, command: ['cat', path] });
      expect([stdout.text, where.sandboxId]).toEqual(['kept', id]);
    },
  );

  suite.test('sandboxes.touch.used', 'begins the idle time anew, and needs a sandbox that runs', async (place) => {
    const taskId = await place.fresh();
    const { usedAt } = await place.agent.sandboxes.get(taskId);
    await new Promise((resolve) => setTimeout(resolve, 20));
    const touched = await place.agent.sandboxes.touch(taskId);
    expect(Date.parse(touched.usedAt)).toBeGreaterThan(Date.parse(usedAt));
    expect((await place.agent.sandboxes.get(taskId)).usedAt).toBe(touched.usedAt);
    await place.agent.sandboxes.stop(taskId);
    await refused(place.agent.sandboxes.touch(taskId), 'failed_precondition');
    await refused(place.agent.sandboxes.touch('never-made'), 'not_found');
  });

  suite.placeTest('sandboxes.start.started', 'starts one that is stopped, and finds one that runs', async (place) => {
    const taskId = await place.fresh();
    await place.agent.sandboxes.stop(taskId);
    expect((await place.agent.sandboxes.start(taskId)).how).toBe('started');
    const { sandbox, how } = await place.agent.sandboxes.start(taskId);
    expect([how, sandbox.state]).toEqual(['found', 'ready']);
  });

  suite.test('sandboxes.start.missing', 'starts nothing that was not made', async (place) => {
    await refused(place.agent.sandboxes.start('never-made'), 'not_found');
    expect((await place.agent.sandboxes.list({ task: 'never-made' })).items).toEqual([]);
  });

  suite.test('sandboxes.stop.missing', 'stops nothing that was not made', async (place) => {
    await refused(place.agent.sandboxes.stop('never-made'), 'not_found');
  });

  suite.placeTest(
    'sandboxes.remove.gone',
    'removes a sandbox with its files, and its execs stay on record',
    async (place) => {
      const taskId = await place.fresh();
      const { agent } = place;
      const execId = `exec_${taskId}`;
      await agent.run({ taskId, execId, command: ['sh', '-c', 'echo x >left.txt; rm left.txt'] });
      const { id } = await agent.sandboxes.get(taskId);
      await agent.sandboxes.remove(taskId);
      await refused(agent.sandboxes.get(taskId), 'not_found');
      await refused(agent.sandboxes.remove(id), 'not_found');
      expect((await agent.execs.get(execId)).where.sandboxId).toBe(id);
      expect((await agent.sandboxes.create({ taskId })).sandbox.id).not.toBe(id);
    },
  );

  suite.test('sandboxes.remove.missing', 'removes nothing that was not made', async (place) => {
    await refused(place.agent.sandboxes.remove('never-made'), 'not_found');
  });

  suite.placeTest(
    'sandboxes.remove.keep-files',
    'keeps the files of a task for its next sandbox when that is asked for',
    async (place) => {
      const taskId = await place.fresh();
      const { agent } = place;
      const { spec } = await agent.sandboxes.get(taskId);
      const path = place.subject.isContained ? `${spec.cwd}/kept` : `${await place.directory(taskId)}/kept`;
      await agent.files.write({ task: taskId, path, bytes: 'kept' });
      await agent.sandboxes.remove(taskId, { keepFiles: true });
      expect((await agent.sandboxes.create({ taskId })).how).toBe('created');
      expect((await agent.run({ taskId, command: ['cat', path] })).stdout).toMatchObject(whole('kept'));
    },
  );

  suite.placeTest('sandboxes.remove.running', 'ends what runs in it', async (place) => {
    const taskId = await place.fresh();
    const running = await place.agent.exec({ taskId, command: ['sleep', '300'] });
    running.ignore();
    await place.agent.sandboxes.remove(taskId);
    expect((await running.exit).reason).not.toBe('timed-out');
    expect((await place.agent.execs.get(running.id)).exit).not.toBeNull();
  });
}

function figureCases(suite: Suite): void {
  suite.placeTest('sandboxes.limits.page', 'says what holds inside, and how that is known', async (place) => {
    const { id } = await place.agent.sandboxes.get(place.task);
    const page = await place.agent.sandboxes.limits(place.task);
    expect(page).toMatchObject({ taskId: place.task, sandboxId: id, backend: place.subject.backend });
    expect(page.limits.map(({ name }) => name)).toEqual(['cpuCores', 'memoryBytes', 'diskBytes', 'pids']);
    expect(page.isolation).toBe(place.subject.isContained ? 'container' : 'none');
    expect(page.network.mode).toBe('open');
  });

  suite.test('sandboxes.limits.missing', 'has no limits of a task without a sandbox', async (place) => {
    await refused(place.agent.sandboxes.limits('never-made'), 'not_found');
  });

  suite.placeTest(
    'sandboxes.stats.figures',
    'gives figures of what is used, or says that the place has none',
    async (place) => {
      const stats = place.agent.sandboxes.stats(place.task);
      if (!place.subject.hasStats) return await refused(stats, 'not_supported');
      expect((await stats).memoryBytes).toBeGreaterThan(0);
    },
  );

  suite.test('sandboxes.stats.missing', 'has no figures of a task without a sandbox', async (place) => {
    await refused(place.agent.sandboxes.stats('never-made'), 'not_found');
  });

  suite.placeTest(
    'sandboxes.gc.dry-run',
    'shows what would be removed, and that is nothing which is in use',
    async (place) => {
      const before = (await place.agent.sandboxes.list({ limit: 1000 })).items.map(({ id }) => id);
      const items = await place.agent.sandboxes.gc({ dryRun: true });
      expect(items.filter(({ kind }) => kind === 'sandbox' || kind === 'resource')).toEqual([]);
      expect((await place.agent.sandboxes.list({ limit: 1000 })).items.map(({ id }) => id)).toEqual(before);
    },
  );

  suite.placeTest('sandboxes.gc.force', 'gives up no sandbox whose host answers', async (place) => {
    await place.agent.sandboxes.create({ taskId: place.task });
    const forced = place.agent.sandboxes.gc({ dryRun: false, force: place.task });
    await refused(forced, 'failed_precondition');
    expect(await place.agent.sandboxes.get(place.task)).toMatchObject({ state: 'ready', resource: 'running' });
    await refused(place.agent.sandboxes.gc({ dryRun: true, force: 'never-made' }), 'not_found');
  });
}
