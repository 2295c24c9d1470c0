/** Commands that need an answer, asked and answered over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyLine, linesOf, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ config: 'approvals: {remote_timeout: 20}' });
  await world.ask('/v1/sandboxes', { body: { taskId: 'build' } });
});
afterAll(async () => await world[Symbol.asyncDispose]());

const execs = '/v1/sandboxes/build/execs';
const risky = (name: string, more: object = {}) => ({ body: { command: ['rm', '-rf', `./${name}`], ...more } });
const answer = (id: unknown, choice: string, token = world.person) =>
  world.ask(`/v1/approvals/${String(id)}`, { body: { choice }, token });

it('a write that needs an approval shows its diff to the token that answers, and not to the one that asked', async () => {
  await using asking = await openWorld({ config: 'approvals: {remote_timeout: 20, rules: {ask: [write_file]}}' });
  await asking.ask('/v1/sandboxes', { body: { taskId: 'build' } });
  const token = await asking.token('run', 'approve');
  const headers = { 'content-type': 'application/octet-stream' };
  const file = `/v1/sandboxes/build/files?path=${asking.root}/a.txt`;
  const writing = asking.ask(file, { method: 'PUT', body: 'one\ntwo\n', headers, token });
  const shown = async (path: string, to = asking.person) =>
    Object(await (await asking.ask(path, { token: to })).json());
  await expect.poll(async () => (await shown('/v1/approvals')).items.length, { timeout: 20_000 }).toBe(1);
  const at = `/v1/approvals/${(await shown('/v1/approvals')).items[0].id}`;
  const display = `write_file ${asking.root}/a.txt`;
  expect(await shown(at)).toMatchObject({ display, diff: 'a new file\n@@ -0,0 +1,2 @@\n+one\n+two' });
  expect(await shown(at, token)).toMatchObject({ display, diff: null });
  await asking.ask(at, { token: asking.person, body: { choice: 'once' } });
  expect((await writing).status).toBe(200);
});

describe('an exec that needs an approval', () => {
  it('says so in its stream, waits, and runs when another token approves', async () => {
    const response = await world.ask(execs, risky('a'));
    expect(response.status).toBe(200);
    const events: Readonly<Record<string, unknown>>[] = [];
    for await (const event of linesOf(response)) {
      events.push(event);
      if (event['type'] !== 'approval-required') continue;
      const shown = await world.ask(`/v1/approvals/${String(event['approvalId'])}`, { token: world.person });
      expect(await shown.json()).toMatchObject({
        state: 'pending',
        display: 'rm -rf ./a',
        taskId: 'build',
        expiresAt: expect.stringMatching(/Z$/),
      });
      expect((await answer(event['approvalId'], 'once')).status).toBe(204);
    }
    expect(events.map(({ type }) => type)).toEqual(['approval-required', 'started', 'exit']);
    expect(events.at(-1)).toMatchObject({ exit: { exitCode: 0 } });
  });

  it('ends its stream with an error when it is denied, and is not asked for again', async () => {
    const events: Readonly<Record<string, unknown>>[] = [];
    for await (const event of linesOf(await world.ask(execs, risky('b')))) {
      events.push(event);
      if (event['type'] === 'approval-required') await answer(event['approvalId'], 'deny');
    }
    expect(events.at(-1)).toMatchObject({ type: 'error', error: { code: 'policy_denied', status: 403 } });
    expect((await world.ask(execs, risky('b'))).status).toBe(403);
  });

  it('is refused with its id when it may not wait, and the repeated request runs once it is approved', async () => {
    const request = risky('c', { execId: 'exec_c', waitForApproval: false });
    const first = await world.ask(execs, request);
    const problem = Object(await first.json());
    expect([first.status, problem]).toMatchObject([403, { code: 'approval_required', details: { reason: 'pending' } }]);
    const again = Object(await (await world.ask(execs, request)).json());
    expect(again.details.approvalId).toBe(problem.details.approvalId);
    expect((await answer(problem.details.approvalId, 'once')).status).toBe(204);
    const events = await everyLine(await world.ask(execs, request));
    expect(events.at(-1)).toMatchObject({ exit: { exitCode: 0 } });
    // The id is that of an exec by now.
    expect(await everyLine(await world.ask(execs, request))).toEqual(events);
  });

  it('needs an execId to be refused at once', async () => {
    expect((await world.ask(execs, risky('d', { waitForApproval: false }))).status).toBe(422);
  });

  it('cannot be approved by the token that asked, even with the scope, and that is on record (AP-05)', async () => {
    const both = await world.token('run', 'read', 'approve');
    const first = await world.ask(execs, { ...risky('e', { execId: 'exec_e', waitForApproval: false }), token: both });
    const { details } = Object(await first.json());
    expect((await answer(details.approvalId, 'once', both)).status).toBe(403);
    expect((await answer(details.approvalId, 'once', world.agent)).status).toBe(403);
    const audit = await everyLine(await world.ask('/v1/audit?count=20'));
    expect(audit.find(({ approval }) => approval === details.approvalId)).toMatchObject({ verdict: 'deny' });
    expect((await answer(details.approvalId, 'deny')).status).toBe(204);
  });

  it('answered with session or always covers what it says, until it is revoked', async () => {
    const first = Object(
      await (await world.ask(execs, risky('f', { execId: 'exec_f', waitForApproval: false }))).json(),
    );
    await answer(first.details.approvalId, 'session');
    await expect.poll(async () => (await everyLine(await world.ask(execs, risky('g')))).length).toBe(2);
    const grants = Object(await (await world.ask('/v1/grants', { token: world.person })).json()).items;
    expect(grants).toMatchObject([{ taskId: 'build', covers: ['recursive delete'] }]);
    const revoked = await world.ask(`/v1/grants/${grants[0].id}`, { method: 'DELETE', token: world.person });
    expect(revoked.status).toBe(204);
    const audit = await everyLine(await world.ask('/v1/audit?count=20'));
    const { caller } = audit.find((each) => each['revoked'] === grants[0].id) ?? {};
    expect(caller).toEqual({ owner: 'operator', token: expect.stringMatching(/^tok_/) });
    const asked = await world.ask(execs, risky('h', { execId: 'exec_h', waitForApproval: false }));
    expect(asked.status).toBe(403);
    await answer(Object(await asked.json()).details.approvalId, 'deny');
  });

  it('is refused when its client leaves, and cannot be approved afterwards', async () => {
    const abort = new AbortController();
    const response = await world.ask(execs, { ...risky('i'), signal: abort.signal });
    let id: unknown;
    for await (const event of linesOf(response)) {
      id = event['approvalId'];
      break;
    }
    abort.abort();
    await expect.poll(async () => (await answer(id, 'once')).status).toBe(409);
  });

  it('does not change who may list: the scope approve', async () => {
    expect((await world.ask('/v1/approvals')).status).toBe(403);
    expect((await world.ask('/v1/approvals', { token: world.person })).status).toBe(200);
  });
});

describe('all questions of a task', () => {
  const tasks = ['all', 'other'];
  const asking = async (task: string, name: string, token?: string) => {
    const request = risky(name, { execId: `exec_${task}_${name}`, waitForApproval: false });
    const response = await world.ask(`/v1/sandboxes/${task}/execs`, { ...request, ...(token ? { token } : {}) });
    return {
      status: response.status,
      id: Object(
        await response
          .clone()
          .json()
          .catch(() => ({})),
      ).details?.approvalId,
    };
  };
  const answerAll = async (body: object, token = world.person) => {
    const response = await world.ask('/v1/approvals', { body, token });
    return { status: response.status, json: Object(await response.json()) };
  };
  beforeAll(async () => {
    for (const taskId of tasks) await world.ask('/v1/sandboxes', { body: { taskId } });
  });

  it('are approved at once; those of other tasks and those that come later wait', async () => {
    const [a, b, other] = [await asking('all', 'a'), await asking('all', 'b'), await asking('other', 'a')];
    const done = await answerAll({ taskId: 'all', choice: 'once' });
    expect(done).toEqual({ status: 200, json: { answered: [a.id, b.id], left: [] } });
    const later = await asking('all', 'c');
    expect(later.status).toBe(403);
    const open = Object(await (await world.ask('/v1/approvals', { token: world.person })).json()).items;
    expect(open.map(({ id }: { readonly id: string }) => id)).toEqual([other.id, later.id]);
    const events = await everyLine(
      await world.ask('/v1/sandboxes/all/execs', risky('a', { execId: 'exec_all_a', waitForApproval: false })),
    );
    expect(events.at(-1)).toMatchObject({ exit: { exitCode: 0 } });
    expect((await answerAll({ taskId: 'all', choice: 'deny' })).json.answered).toEqual([later.id]);
    expect((await answerAll({ taskId: 'other', choice: 'deny' })).json.answered).toEqual([other.id]);
    expect((await answerAll({ taskId: 'other', choice: 'deny' })).json).toEqual({ answered: [], left: [] });
  });

  it('are left and listed where the token that answers has asked them (AP-05)', async () => {
    const both = await world.token('run', 'read', 'approve');
    const own = await asking('all', 'd', both);
    const others = await asking('all', 'e');
    const done = await answerAll({ taskId: 'all', choice: 'once' }, both);
    expect(done.json).toEqual({ answered: [others.id], left: [{ id: own.id, why: 'own-token' }] });
    const shown = await world.ask(`/v1/approvals/${own.id}`, { token: world.person });
    expect(await shown.json()).toMatchObject({ state: 'pending' });
    expect((await answerAll({ taskId: 'all', choice: 'deny' })).json.answered).toEqual([own.id]);
  });

  it('are not answered with always', async () => {
    expect((await answerAll({ taskId: 'all', choice: 'always' })).status).toBe(422);
    const answer = { taskId: 'all', choice: 'always' };
    const { approvals } = world.api;
    const all = (...given: Parameters<typeof approvals.answerAll>) => approvals.answerAll(...given);
    await expect(Reflect.apply(all, null, [answer, 'x'])).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('of another owner with a task of the same name are not answered, and neither named', async () => {
    const asked = await asking('all', 'f');
    const { token } = await world.api.tokens.create({ name: 'alice', scopes: ['approve'], owner: 'alice' }, 'test');
    expect((await answerAll({ taskId: 'all', choice: 'once' }, token)).json).toEqual({ answered: [], left: [] });
    expect((await answerAll({ taskId: 'all', choice: 'deny' })).json.answered).toEqual([asked.id]);
  });
});

it('a repeated request with another input is asked about anew, with the input, and does not run', async () => {
  const request = (input: string) =>
    world.ask(execs, { body: { command: ['sh'], input, execId: 'exec_swap', waitForApproval: false } });
  const { details } = Object(await (await request('echo harmless')).json());
  const view = Object(await (await world.ask(`/v1/approvals/${details.approvalId}`, { token: world.person })).json());
  expect(view).toMatchObject({ display: 'sh', stdin: true, input: 'echo harmless', backend: 'local', cwd: world.root });
  expect((await answer(details.approvalId, 'once')).status).toBe(204);
  const other = await request('echo HARMFUL');
  expect([other.status, Object(await other.json()).details.approvalId]).not.toContain(details.approvalId);
  expect(other.status).toBe(403);
  await expect.poll(async () => (await request('echo harmless')).status).toBe(200);
  const both = { command: ['sh'], input: 'x', stdin: true };
  expect((await world.ask(execs, { body: both })).status).toBe(422);
});
