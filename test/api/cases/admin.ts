import { expect } from 'vitest';
import type { TailInput } from '../../../src/service/api.ts';
import { firstOf, refused } from '../reading.ts';
import type { Suite } from '../suite.ts';

export function adminCases(suite: Suite): void {
  policyCases(suite);
  auditCases(suite);
  eventCases(suite);
  configCases(suite);
}

function policyCases(suite: Suite): void {
  suite.test('policy.checker.tiers', 'says what would be decided about commands', async (place) => {
    const check = await place.agent.policy.checker({ backend: 'local', cwd: '/work' });
    expect(await check('ls')).toMatchObject({ verdict: 'allow', tier: 'none', findings: [] });
    expect(await check('rm -rf /')).toMatchObject({ verdict: 'deny', tier: 'hardline' });
    const [finding] = (await check(['mkfs.ext4', '/dev/sda'])).findings;
    expect([typeof finding?.rule, typeof finding?.description, finding?.start]).toEqual(['string', 'string', 0]);
  });

  suite.test('policy.checker.rules', 'takes rules and a mode along', async (place) => {
    const rules = { deny: ['terminal(make:*)'] };
    const check = await place.agent.policy.checker({ backend: 'local', rules });
    expect(await check('make all')).toMatchObject({ verdict: 'deny', tier: 'rule' });
    const planning = await place.agent.policy.checker({ backend: 'local', mode: 'plan' });
    expect((await planning('touch x')).verdict).toBe('deny');
  });

  suite.test(
    'policy.checker.refused',
    'refuses a backend that there is not, and a rule that does not parse',
    async (place) => {
      const deciding = async (query: object) => await (await place.agent.policy.checker(query))('ls');
      await refused(deciding({ backend: 'nowhere' }), 'invalid_argument');
      await refused(deciding({ rules: { deny: ['terminal(a; b)'] } }), 'invalid_argument');
    },
  );

  suite.test('policy.ready.sound', 'is quiet where commands can be judged', async (place) => {
    await place.agent.policy.ready();
    expect((await (await place.agent.policy.checker({ backend: 'local' }))('ls')).verdict).toBe('allow');
  });

  suite.test('policy.examples.sound', 'tries every rule on its own examples', async (place) => {
    const rules = await place.agent.policy.examples();
    expect(rules.length).toBeGreaterThan(20);
    expect(rules.filter(({ problems }) => problems.length > 0)).toEqual([]);
  });

  suite.test('policy.ignored.none', 'lists rules without effect', async (place) => {
    expect(await place.agent.policy.ignored()).toEqual([]);
  });

  suite.test('policy.hooks.list.none', 'lists the scripts that see a command', async (place) => {
    expect(await place.agent.policy.hooks.list()).toEqual([]);
  });

  suite.test('policy.hooks.accept.none', 'accepts nothing where there is nothing', async (place) => {
    expect(await place.agent.policy.hooks.accept([])).toEqual([]);
  });

  suite.test('network.checker.verdicts', 'says whether URLs may be fetched', async (place) => {
    const check = await place.agent.network.checker();
    expect(await check({ url: 'http://127.0.0.1/' })).toMatchObject({ verdict: 'block' });
    expect(await check({ url: 'https://example.com/', dns: ['93.184.215.14'] })).toMatchObject({ verdict: 'allow' });
    expect(await check({ url: 'https://example.com/', dns: ['10.0.0.1'] })).toMatchObject({ verdict: 'block' });
    const redirects = ['http://169.254.169.254/'];
    expect(await check({ url: 'https://example.com/', redirects })).toMatchObject({ verdict: 'block' });
  });

  suite.test('network.checker.malformed', 'blocks what is no URL', async (place) => {
    const check = await place.agent.network.checker();
    expect((await check({ url: 'no url' })).verdict).toBe('block');
  });

  const unfiltered = { code: 'failed_precondition', message: expect.stringContaining('it has no rules') };

  suite.test('network.rules.unfiltered', 'says that an open network has no rules', async (place) => {
    await expect(place.agent.network.rules(place.task)).rejects.toMatchObject(unfiltered);
    await expect(place.agent.network.rules('absent')).rejects.toMatchObject({ code: 'not_found' });
  });

  suite.test('network.change.unfiltered', 'changes no rules of an open network', async (place) => {
    const { network } = place.person;
    await expect(network.change(place.task, { deny: ['example.com'] })).rejects.toMatchObject(unfiltered);
    const shared = { code: 'invalid_argument', message: expect.stringContaining('strangers') };
    await expect(network.change(place.task, { allow: ['*.com'] })).rejects.toMatchObject(shared);
    await expect(network.change(place.task, {})).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  suite.test('network.log.unfiltered', 'has no record of an open network', async (place) => {
    await expect(Array.fromAsync(place.agent.network.log(place.task))).rejects.toMatchObject(unfiltered);
  });

  suite.test('network.suggest.unfiltered', 'proposes nothing for an open network', async (place) => {
    await expect(place.agent.network.suggest(place.task)).rejects.toMatchObject(unfiltered);
  });
}

function auditCases(suite: Suite): void {
  suite.test('audit.tail.last', 'gives the last records, oldest first', async (place) => {
    const { execId } = await place.sh('exit 3');
    const records = await Array.fromAsync(place.agent.audit.tail({ count: 20 }));
    const own = records.filter((record) => record['execId'] === execId && record.type !== 'decision');
    expect(own.map(({ type, exit_code: code }) => [type, code])).toEqual([
      ['run', undefined],
      ['exit', 3],
    ]);
    const seqs = records.map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
    expect(await Array.fromAsync(place.agent.audit.tail({ count: 1 }))).toHaveLength(1);
  });

  suite.test('audit.tail.filters', 'gives the last records of one task, and of a time', async (place) => {
    const taskId = await place.fresh();
    const { execId } = await place.agent.run({ taskId, command: ['true'] });
    await place.sh('true');
    const ask = async (filter: Omit<TailInput, 'count'>): Promise<readonly unknown[]> =>
      (await Array.fromAsync(place.agent.audit.tail({ count: 50, ...filter }))).map((record) => record['execId']);
    expect(await ask({ task: taskId })).toEqual([execId, execId]);
    expect(await ask({ task: taskId, until: '2020-01-01T00:00:00Z' })).toEqual([]);
    expect(await ask({ task: taskId, verdict: 'deny' })).toEqual([]);
    expect(await ask({ task: taskId, since: '2020-01-01T00:00:00Z', owner: 'operator' })).toEqual([execId, execId]);
  });

  suite.test('audit.tail.values', 'names variables, and never holds their values', async (place) => {
    const { execId } = await place.sh('true', { env: { SECRET_WORD: 'hunter2hunter2' } });
    const records = await Array.fromAsync(place.agent.audit.tail({ count: 10 }));
    expect(records.find((record) => record['execId'] === execId)).toMatchObject({ env: ['SECRET_WORD'] });
    expect(JSON.stringify(records)).not.toContain('hunter2');
  });

  suite.test('audit.tail.follow', 'follows records to come, until its signal fires', async (place) => {
    const abort = new AbortController();
    const command: [string, ...string[]] = ['sh', '-c', 'exit 44'];
    const records = place.agent.audit.tail({ count: 0, follow: true }, { signal: abort.signal });
    const seen = firstOf(records, (record) => record.type === 'exit' && record['exit_code'] === 44);
    const runs = setInterval(() => void place.agent.run({ taskId: place.task, command }).catch(() => undefined), 500);
    expect((await seen)['taskId']).toBe(place.task);
    clearInterval(runs);
    abort.abort();
  });

  suite.test('audit.verify.intact', 'finds all records as they were written', async (place) => {
    await place.sh('true');
    const found = await place.agent.audit.verify();
    expect(found).toMatchObject({ intact: true, broken: null, firstSeq: 1, torn: 0 });
    expect(found.records).toBeGreaterThan(1);
  });
}

function eventCases(suite: Suite): void {
  suite.test('events.follow.kept', 'gives changes of state, oldest first', async (place) => {
    const taskId = await place.fresh();
    await place.agent.run({ taskId, command: ['true'] });
    await place.agent.sandboxes.remove(taskId);
    const own = async () => {
      const events = await Array.fromAsync(place.agent.events.follow());
      return events.filter(({ data }) => data['taskId'] === taskId);
    };
    await expect.poll(async () => (await own()).at(-1)?.data['to'], { timeout: 20_000 }).toBe('removed');
    await expect
      .poll(async () => (await own()).map(({ type, data }) => (type === 'sandbox.state' ? data['to'] : type)), {
        timeout: 10_000,
      })
      .toEqual(expect.arrayContaining(['creating', 'ready', 'exec.started', 'exec.ended', 'destroying', 'removed']));
    const seqs = (await own()).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
  });

  suite.test('events.follow.after', 'goes on behind the event that was seen last', async (place) => {
    const all = await Array.fromAsync(place.agent.events.follow());
    const after = all.at(-3)?.seq ?? 0;
    const rest = await Array.fromAsync(place.agent.events.follow({ after }));
    expect(rest.slice(0, 2)).toEqual(all.slice(-2));
  });

  suite.test('events.follow.filter', 'gives changes of one task, of one kind', async (place) => {
    const [taskId, other] = [await place.fresh(), await place.fresh()];
    for (const each of [taskId, other]) await place.agent.sandboxes.create({ taskId: each });
    const { items } = await place.agent.sandboxes.list();
    const id = items.find((each) => each.taskId === taskId)?.id ?? '';
    for (const task of [taskId, id]) {
      const found = await Array.fromAsync(place.agent.events.follow({ task, type: 'sandbox.state' }));
      expect(found.map(({ data }) => [data['taskId'], data['to']])).toEqual([
        [taskId, 'creating'],
        [taskId, 'ready'],
      ]);
    }
    expect(await Array.fromAsync(place.agent.events.follow({ task: taskId, type: 'process.started' }))).toEqual([]);
    for (const each of [taskId, other]) await place.agent.sandboxes.remove(each);
  });

  suite.test(
    'events.follow.live',
    'follows changes that another client makes, until its signal fires',
    async (place) => {
      const newest = await place.newest();
      const abort = new AbortController();
      const taskId = place.name();
      const events = place.agent.events.follow({ after: newest, follow: true }, { signal: abort.signal });
      const seen = firstOf(events, ({ type, data }) => type === 'sandbox.state' && data['taskId'] === taskId);
      await place.other.sandboxes.create({ taskId });
      expect(await seen).toMatchObject({ owner: 'operator', data: { taskId, to: 'creating' } });
      abort.abort();
    },
  );

  suite.test('events.follow.gone', 'refuses to go on behind an event that there never was', async (place) => {
    await refused(Array.fromAsync(place.agent.events.follow({ after: 1_000_000_000 })), 'not_found');
  });

  suite.test('events.kept.bounds', 'says which events are kept', async (place) => {
    const { oldest, newest } = await place.agent.events.kept();
    expect([oldest >= 1, newest >= oldest]).toEqual([true, true]);
    await refused(place.agent.events.kept(1_000_000_000), 'not_found');
  });
}

function configCases(suite: Suite): void {
  suite.test('config.show.values', 'shows keys with their values and where they came from', async (place) => {
    const entries = await place.agent.config.show();
    const backend = entries.find(({ key }) => key === 'terminal.backend');
    expect(backend).toMatchObject({ value: place.subject.backend, origin: expect.stringContaining('config.yaml') });
    expect(JSON.stringify(entries)).not.toContain('token-of-the-docs-server');
  });

  suite.test('config.show.task', 'shows what holds for a task', async (place) => {
    const entries = await place.agent.config.show('asked-1');
    expect(entries.find(({ key }) => key === 'terminal.backend')?.value).toBe(place.subject.backend);
    await refused(place.agent.config.show('No Task'), 'invalid_argument');
  });

  suite.test('config.set.key', 'sets a key in the file, which holds after a reload or a restart', async (place) => {
    await place.agent.config.set('approvals.session_seconds', '1234');
    expect((await place.agent.config.reload()).changed).toContain('approvals.session_seconds');
    const entries = await place.agent.config.show();
    expect(entries.find(({ key }) => key === 'approvals.session_seconds')?.value).toBe(1234);
  });

  suite.test(
    'config.set.refused',
    'refuses a key that is not known and a wrong value, and changes nothing',
    async (place) => {
      await refused(place.agent.config.set('approvals.sesion_seconds', '1'), 'invalid_argument');
      await refused(place.agent.config.set('approvals.session_seconds', 'soon'), 'invalid_argument');
      expect((await place.agent.config.reload()).changed).toEqual([]);
    },
  );

  suite.test(
    'config.pending.holds',
    'lists rules of the file that hold before a reload, and what the reload would loosen',
    async (place) => {
      const taskId = place.name();
      const rules = `tasks.${taskId}.rules`;
      await place.agent.config.set(rules, '{deny: ["terminal(expr:*)"], allow: ["terminal(uname:*)"]}');
      const { holds, loosens, problem } = await place.agent.config.pending();
      expect([holds, loosens, problem]).toEqual([
        [`${rules}.deny: terminal(expr:*)`],
        [`${rules}.allow: terminal(uname:*)`],
        null,
      ]);
      await refused(place.agent.run({ taskId, command: ['expr', '1'] }), 'policy_denied');
      await place.agent.config.reload();
      expect(await place.agent.config.pending()).toMatchObject({ holds: [], loosens: [] });
      await refused(place.agent.run({ taskId, command: ['expr', '1'] }), 'policy_denied');
    },
  );

  suite.test('config.reload.restart', 'says which keys hold after a restart only', async (place) => {
    await place.agent.config.set('terminal.timeout', '200');
    const { changed, needsRestart } = await place.agent.config.reload();
    expect([changed, needsRestart]).toEqual([[], ['terminal.timeout']]);
  });

  suite.test('config.schema.json', 'gives the schema of the file', async (place) => {
    expect(await place.agent.config.schema()).toMatchObject({ type: 'object', properties: { terminal: {} } });
  });

  suite.test('config.create.there', 'writes no first file over the one that is there', async (place) => {
    await refused(place.agent.config.create('terminal: {backend: local}\n'), 'already_exists');
  });
}
