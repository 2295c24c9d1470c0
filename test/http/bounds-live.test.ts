/** A token that is bound to a task, and what runs at this moment in other tasks of its owner. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSocket } from './raw.ts';
import { everyLine, linesOf, openWorld, type World } from './world.ts';

let world: World;
let token: string;
beforeAll(async () => {
  world = await openWorld({ config: 'approvals: {rules: {ask: ["terminal(touch:*)"]}}\n' });
  for (const taskId of ['one', 'two']) await world.ask('/v1/sandboxes', { body: { taskId } });
  const input = { name: 'bound', scopes: ['run', 'read'], task: 'one' } as const;
  ({ token } = await world.api.tokens.create(input, 'test'));
}, 60_000);
afterAll(async () => await world[Symbol.asyncDispose]());

const json = { accept: 'application/json' };

it('a bound token writes to no command of another task, and cancels none, by its id alone', async () => {
  const body = { taskId: 'two', command: ['cat'], stdin: true, execId: 'exec_cat' };
  const lines = linesOf(await world.ask('/v1/execs', { body }));
  expect((await lines.next()).value).toMatchObject({ type: 'started' });
  const theirs = await openSocket(`${world.url}/v1/execs/exec_cat/stdin`, { token });
  theirs.socket.send(Buffer.from('planted\n'));
  theirs.socket.send('{"type":"cancel"}');
  expect(await theirs.closed).toBe(1008);
  expect(theirs.events).toMatchObject([{ type: 'error', error: { code: 'not_found' } }]);
  const own = await openSocket(`${world.url}/v1/execs/exec_cat/stdin`, { token: world.agent });
  own.socket.send(Buffer.from('own\n'));
  own.socket.send('{"type":"end"}');
  const rest = await Array.fromAsync(lines);
  expect(rest).toMatchObject([{ type: 'stdout', data: 'own\n' }, { exit: { reason: 'exited' } }]);
});

it('a bound token writes to a command of its own that has not started yet', async () => {
  const command = ['sh', '-c', 'cat'];
  const body = { taskId: 'one', command, stdin: true, execId: 'exec_early', collect: true };
  const result = world.ask('/v1/execs', { token, body });
  const { socket } = await openSocket(`${world.url}/v1/execs/exec_early/stdin`, { token });
  socket.send(Buffer.from('early\n'));
  socket.send('{"type":"end"}');
  expect(await everyLine(await result)).toMatchObject([{ type: 'result', result: { stdout: { text: 'early\n' } } }]);
});

it('a bound token takes back no command of another task that waits for an answer', async () => {
  const body = { taskId: 'two', execId: 'exec_asked', collect: true, command: ['touch', `${world.root}/touched`] };
  const lines = linesOf(await world.ask('/v1/execs', { body }));
  expect((await lines.next()).value).toMatchObject({ type: 'approval-required' });
  await world.ask('/v1/execs/exec_asked', { token, method: 'DELETE' });
  // Nor by a request of its own under that id, which it leaves.
  const leaving = new AbortController();
  const mine = { ...body, taskId: 'one' };
  const left = world.ask('/v1/execs', { token, body: mine, signal: leaving.signal }).catch(() => null);
  await new Promise((resolve) => setTimeout(resolve, 300));
  leaving.abort();
  await left;
  await new Promise((resolve) => setTimeout(resolve, 6000));
  const waiting = (await world.api.approvals.list()).filter(({ taskId }) => taskId === 'two');
  expect(waiting).toHaveLength(1);
  await world.ask(`/v1/approvals/${waiting[0]?.id}`, { token: world.person, body: { choice: 'deny' } });
  expect((await lines.next()).value).toMatchObject({ type: 'error', error: { code: 'policy_denied' } });
}, 30_000);

it('a bound token gets no result of a session of another task, by its words and its id', async () => {
  await world.ask('/v1/sandboxes/two/sessions', { body: { name: 'main' } });
  const body = { text: 'echo secret', execId: 'exec_text', collect: true };
  const path = '/v1/sandboxes/two/sessions/main/execs';
  const [line] = await everyLine(await world.ask(path, { body }));
  expect(line).toMatchObject({ result: { stdout: { text: 'secret\n' } } });
  const theirs = await world.ask(path, { token, body, headers: { accept: 'application/x-ndjson' } });
  expect([theirs.status, await theirs.text()]).toEqual([404, expect.not.stringContaining('secret')]);
  expect((await world.ask('/v1/execs/exec_text', { token, headers: json })).status).toBe(404);
});
