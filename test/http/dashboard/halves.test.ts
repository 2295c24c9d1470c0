/** The login of the dashboard, as one who has a half of it sees it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { logIn } from './login.ts';
import { openWorld, type World } from '../world.ts';

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(async () => await world[Symbol.asyncDispose]());

it.each(['/v1/sandboxes', '/v1/events', '/v1/approvals', '/login', '/mcp', '/metrics'])(
  'neither half alone opens %s, nor do halves of two logins',
  async (path) => {
    const [one, other] = [await logIn(world), await logIn(world, await world.token('read'))];
    const { cookie } = one;
    const statuses = [
      await world.ask(path, { token: null, headers: { cookie } }),
      await world.ask(path, { token: one.key }),
      await world.ask(path, { token: one.key, headers: { cookie: other.cookie } }),
      await world.ask(path, { token: cookie.split('=')[1] ?? '', headers: { cookie } }),
    ].map(({ status }) => status);
    expect(statuses).toEqual([401, 401, 401, 401]);
  },
);
