/** Who may talk to an agent, asked and administered over HTTP. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorld, type World } from './world.ts';

let world: World;
let bot: string;
beforeAll(async () => {
  world = await openWorld();
  bot = await world.token('run');
});
afterAll(async () => await world[Symbol.asyncDispose]());

const ask = async (path: string, body?: object, token?: string) => {
  const response = await world.ask(path, { ...(body ? { body } : {}), ...(token ? { token } : {}) });
  return { status: response.status, json: Object(await response.json()) };
};
const message = { platform: 'telegram', from: { ids: ['4711'], name: 'Ada' }, channel: null, addressed: null };
const check = (token = bot) => ask('/v1/access/check', message, token);

it('a stranger gets a code, is heard once it is approved, and no more when that is revoked', async () => {
  const stranger = await check();
  expect(stranger).toMatchObject({ status: 200, json: { what: 'pair', code: expect.any(String) } });
  const waiting = await ask('/v1/access/pairings');
  expect(waiting.json).toMatchObject({ pending: [{ platform: 'telegram', ids: ['4711'], name: 'Ada' }], paired: [] });
  expect(JSON.stringify(waiting.json)).not.toContain(stranger.json.code);
  const approval = { platform: 'telegram', code: stranger.json.code };
  expect((await ask('/v1/access/pairings', approval, bot)).status).toBe(403);
  expect((await ask('/v1/access/pairings', approval, world.person)).status).toBe(403);
  expect(await ask('/v1/access/pairings', approval)).toMatchObject({
    status: 200,
    json: { ids: ['4711'], by: expect.stringContaining('tok_') },
  });
  expect((await check()).json).toMatchObject({ what: 'heard', rule: 'paired', conversation: expect.any(String) });
  const user = { platform: 'telegram', user: '4711' };
  expect(await ask('/v1/access/pairings/revoke', user)).toMatchObject({ status: 200, json: { still: 'none' } });
  expect((await check()).json).toMatchObject({ what: 'ignored', why: 'asked-lately' });
  expect(world.logged()).not.toContain(stranger.json.code);
});

it('tokens of other owners may not ask', async () => {
  const { token } = await world.api.tokens.create({ name: 'alice', scopes: ['run'], owner: 'alice' }, 'test');
  expect((await check(token)).status).toBe(403);
});
