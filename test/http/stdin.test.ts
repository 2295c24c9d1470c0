/** Input of commands without a socket: bytes in the request, and of any size in a request of their own. */
import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyLine, openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld({ config: 'approvals: {mode: "off"}' });
  for (const task of ['build', 'other']) await world.ask('/v1/sandboxes', { body: { task } });
});
afterAll(async () => await world[Symbol.asyncDispose]());

const execs = '/v1/sandboxes/build/execs';
const json = { accept: 'application/json' };
const octets = { 'content-type': 'application/octet-stream' };
const bytes = Buffer.from([0, 255, 10, 128]);

it('bytes go with the request as base64, and other forms are refused', async () => {
  const run = async (input: unknown) =>
    await world.ask(execs, { body: { command: ['od', '-An', '-tu1'], input }, headers: json });
  const answer = await run({ base64: bytes.toString('base64') });
  expect(await answer.json()).toMatchObject({ stdout: { text: expect.stringMatching(/^\s*0\s+255\s+10\s+128\s*$/) } });
  for (const wrong of [{ base64: 'a' }, { base64: '', more: 1 }, 7]) expect((await run(wrong)).status).toBe(422);
});

describe('POST to the stdin of a command', () => {
  const begun = async (execId: string, command: readonly string[]) => {
    const reading = world.ask(execs, { body: { command, stdin: true, execId } }).then(everyLine);
    const state = async () => (await world.ask(`/v1/execs/${execId}`, { headers: json })).status;
    await expect.poll(state, { timeout: 20_000 }).toBe(200);
    return { reading };
  };
  const post = async (path: string, body: Uint8Array | string, token?: string) =>
    await world.ask(path, { method: 'POST', body, headers: octets, ...(token === undefined ? {} : { token }) });

  it('passes on more than a body of JSON holds, then end of file', async () => {
    const { reading } = await begun('exec_sum', ['sha256sum']);
    const large = randomBytes(5 * 1024 * 1024);
    expect((await post('/v1/execs/exec_sum/stdin', large)).status).toBe(204);
    const output = (await reading).find(({ type }) => type === 'stdout')?.['data'];
    expect(output).toContain(createHash('sha256').update(large).digest('hex'));
    expect((await post('/v1/execs/exec_sum/stdin', 'late')).status).toBe(412);
  });

  it('answers when a command ends that reads none of it', async () => {
    const { reading } = await begun('exec_deaf', ['sleep', '1']);
    expect((await post(`${execs}/exec_deaf/stdin`, Buffer.alloc(1024 * 1024))).status).toBe(204);
    await reading;
  });

  it('is 404 in another sandbox and for another owner, and 412 for a command without input', async () => {
    const { reading } = await begun('exec_own', ['cat']);
    expect((await post('/v1/sandboxes/other/execs/exec_own/stdin', 'x')).status).toBe(404);
    const { token } = await world.api.tokens.create({ name: 'bob', owner: 'bob', scopes: ['run'] }, 'test');
    expect((await post('/v1/execs/exec_own/stdin', 'x', token)).status).toBe(404);
    await world.ask('/v1/execs/exec_own', { method: 'DELETE' });
    await reading;
    const none = world.ask(execs, { body: { command: ['sleep', '60'], execId: 'exec_none' } });
    await expect.poll(async () => (await world.ask('/v1/execs/exec_none', { headers: json })).status).toBe(200);
    expect((await post('/v1/execs/exec_none/stdin', 'x')).status).toBe(412);
    await world.ask('/v1/execs/exec_none', { method: 'DELETE' });
    await none;
  });
});
