/** Execs by their id alone, in a sandbox that the request names, and results as the last event. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyLine, linesOf, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({
    config: 'approvals: {rules: {ask: ["terminal(touch:*)"]}}\nowners: {default: {backends: [local]}}',
  });
});
afterAll(async () => await world[Symbol.asyncDispose]());

const sh = (text: string, more: object = {}): object => ({ command: ['sh', '-c', text], ...more });
const state = async (id: string) => Object(await (await world.ask(`/v1/execs/${id}`, { headers: json })).json());
const json = { accept: 'application/json' };

describe('a request that names its sandbox', () => {
  it('has its exec and its process below that sandbox, and not below another one', async () => {
    const start = async (taskId: string): Promise<void> => {
      await everyLine(await world.ask('/v1/execs', { body: sh('true', { taskId, execId: `exec_${taskId}` }) }));
    };
    await start('here');
    await start('there');
    const body = { taskId: 'here', execId: 'exec_stays', command: ['sleep', '60'] };
    expect((await world.ask('/v1/processes', { body })).status).toBe(201);
    const statuses = async (method: string, below: string): Promise<readonly number[]> =>
      await Promise.all(
        ['execs/exec_here', 'processes/exec_stays'].map(async (path) => {
          const answer = await world.ask(`/v1/sandboxes/${below}/${path}`, { method, headers: json });
          return answer.status;
        }),
      );
    expect(await statuses('GET', 'there')).toEqual([404, 404]);
    expect(await statuses('DELETE', 'there')).toEqual([404, 404]);
    expect(await statuses('GET', 'here')).toEqual([200, 200]);
    expect(await statuses('DELETE', 'here')).toEqual([204, 200]);
  });

  it('makes it, and is found by the id of the exec alone', async () => {
    const lines = await everyLine(
      await world.ask('/v1/execs', { body: sh('echo hi', { taskId: 'made', execId: 'exec_made' }) }),
    );
    expect(lines.map(({ type }) => type)).toEqual(['started', 'stdout', 'exit']);
    expect(lines[0]).toMatchObject({ placed: { how: 'created' }, where: { taskId: 'made' } });
    expect(await state('exec_made')).toMatchObject({ id: 'exec_made', exit: { exitCode: 0 } });
    const rest = await everyLine(await world.ask('/v1/execs/exec_made?after=2'));
    expect(rest.map(({ type }) => type)).toEqual(['exit']);
    expect((await world.ask('/v1/execs/exec_none?after=2')).status).toBe(410);
    expect((await everyLine(await world.ask('/v1/sandboxes/made/logs'))).length).toBe(3);
  });

  it('takes one that is there, and makes none in its place', async () => {
    const asked = await world.ask('/v1/execs', { body: sh('true', { taskId: 'absent', existing: true }) });
    expect([asked.status, (await world.ask('/v1/sandboxes/absent')).status]).toEqual([404, 404]);
  });

  it.each([
    ['neither command nor code', {}],
    ['both', { command: ['true'], code: { language: 'bash', text: '' } }],
    ['a program with a terminal', { code: { language: 'bash', text: '' }, tty: { columns: 80, rows: 24 } }],
    ['a result without an id', { command: ['true'], collect: true }],
  ])('is refused with %s', async (_what, body) => {
    const refused = await world.ask('/v1/execs', { body: { taskId: 'made', ...body } });
    expect([refused.status, Object(await refused.json()).code]).toEqual([422, 'invalid_argument']);
  });

  it('without a task is for the operator alone', async () => {
    const { token } = await world.api.tokens.create({ name: 'alice', owner: 'alice', scopes: ['run', 'read'] }, 'test');
    expect((await world.ask('/v1/execs', { token, body: sh('true') })).status).toBe(422);
    const plain = await world.token('run', 'read');
    const own = await world.ask('/v1/execs', { token: plain, body: sh('true'), headers: json });
    expect([own.status, Object(await own.json()).exit.exitCode]).toEqual([200, 0]);
  });

  it('shows no exec of another owner', async () => {
    const { token } = await world.api.tokens.create({ name: 'bob', owner: 'bob', scopes: ['run', 'read'] }, 'test');
    for (const method of ['GET', 'DELETE'])
      expect((await world.ask('/v1/execs/exec_made', { token, method })).status).toBe(404);
    expect((await world.ask('/v1/sandboxes/made/logs', { token })).status).toBe(404);
    expect((await world.ask('/v1/processes/exec_made', { token })).status).toBe(404);
  });
});

describe('a result as the last event', () => {
  it('comes without the output before it, and again for the same exec', async () => {
    const body = sh('echo x >> count; seq 1 5; exit 2', {
      taskId: 'made',
      execId: 'exec_result',
      collect: true,
      cwd: world.root,
    });
    for (let time = 0; time < 2; time++) {
      const lines = await everyLine(await world.ask('/v1/execs', { body }));
      expect(lines).toMatchObject([
        { type: 'result', result: { exit: { exitCode: 2 }, stdout: { text: '1\n2\n3\n4\n5\n' } } },
      ]);
    }
    const count = await world.ask(`/v1/sandboxes/made/files?path=${world.root}/count`);
    expect(await count.text()).toBe('x\n');
  });

  it('is there for a client that left and came back; the command went on', async () => {
    const body = sh('sleep 2; echo end', { taskId: 'made', execId: 'exec_left', collect: true });
    const leaving = new AbortController();
    const response = await world.ask('/v1/execs', { body, signal: leaving.signal });
    leaving.abort();
    await response.text().catch(() => undefined);
    expect(await state('exec_left')).toMatchObject({ exit: null });
    const [line] = await everyLine(await world.ask('/v1/execs', { body }));
    expect(line).toMatchObject({ type: 'result', result: { exit: { reason: 'exited' }, stdout: { text: 'end\n' } } });
  });

  it('is taken back by a client that leaves while it waits for an answer', async () => {
    const body = { taskId: 'made', execId: 'exec_asked', collect: true, command: ['touch', `${world.root}/touched`] };
    const leaving = new AbortController();
    const lines = linesOf(await world.ask('/v1/execs', { body, signal: leaving.signal }));
    expect((await lines.next()).value).toMatchObject({ type: 'approval-required' });
    leaving.abort();
    await lines.next().catch(() => undefined);
    // It might come back under its id.
    await expect.poll(async () => await world.api.approvals.list(), { timeout: 15_000 }).toEqual([]);
    expect((await world.ask('/v1/execs/exec_asked', { headers: json })).status).toBe(404);
  });

  it('comes of a session, with the end of its shell', async () => {
    await world.ask('/v1/sandboxes/made/sessions', { body: { name: 'main' } });
    const body = { text: 'echo hi; exit 3', execId: 'exec_text', collect: true };
    const [line] = await everyLine(await world.ask('/v1/sandboxes/made/sessions/main/execs', { body }));
    expect(line).toMatchObject({ result: { stdout: { text: 'hi\n' }, sessionEnded: true, endStatus: 3 } });
  });
});
