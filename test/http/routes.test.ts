/** Every route of the table, by the table: what is refused, and the good case. One service for all of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routes } from '../../src/http/table.ts';
import type { Route } from '../../src/http/route.ts';
import { bodiless } from '../../src/http/schemas/common.ts';
import type { Scope } from '../../src/service/api.ts';
import { examples } from './examples.ts';
import { openWorld, type World } from './world.ts';

const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
const byName = new Map(routes.map((route) => [nameOf(route), route]));
const takesJson = ({ body }: Route): boolean => body !== bodiless;
const scopes: readonly Scope[] = ['run', 'read', 'approve', 'admin'];

describe('every route', () => {
  let world: World;
  const tokens = new Map<Scope, { readonly good: string; readonly wrong: string }>();

  beforeAll(async () => {
    world = await openWorld();
    for (const scope of scopes) {
      const others = scopes.filter((each) => each !== scope);
      // What only admin may ask for beside the scope of a route is not asked for here.
      tokens.set(scope, { good: await world.token(scope), wrong: await world.token(...others) });
    }
  });
  afterAll(async () => await world[Symbol.asyncDispose]());

  const urlOf = (route: Route, params: Readonly<Record<string, string>> = {}, query = ''): string =>
    route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? 'x') +
    (query === '' ? '' : `?${query.replaceAll('ROOT', encodeURIComponent(world.root))}`);
  const filled = (value: unknown): unknown =>
    typeof value === 'string' ? value : JSON.parse(JSON.stringify(value ?? null).replaceAll('ROOT', world.root));

  it('has an example, and each example is of a route', () => {
    expect([...byName.keys()].toSorted()).toEqual(Object.keys(examples).toSorted());
  });

  it.each(Object.keys(examples))('%s', async (name) => {
    const route = byName.get(name);
    const example = examples[name];
    if (route === undefined || example === undefined) throw new Error('no such route');
    const { good = '', wrong = '' } = tokens.get(route.scope) ?? {};
    const { path, query = '', status = 200, headers = {} } = example;
    const body = example.body === undefined ? undefined : filled(example.body);
    const url = urlOf(route, path, query);
    const request = { method: route.method, headers, ...(body === undefined ? {} : { body }) };
    const ask = async (at: string, how: Parameters<World['ask']>[1]) => {
      const response = await world.ask(at, { ...request, ...how });
      const text = await response.text();
      return { status: response.status, type: response.headers.get('content-type')?.split(';')[0], text };
    };

    const without = await ask(url, { token: null });
    expect([without.status, without.type]).toEqual([401, 'application/problem+json']);
    expect((await ask(url, { token: wrong })).status === 403).toBe(route.orScope === undefined);
    if (route.path.includes('{')) {
      const bad = Object.fromEntries(
        [...route.path.matchAll(/\{(\w+)\}/g)].map(([, key = '']) => [key, '%2e%2e%2fetc']),
      );
      expect(await ask(urlOf(route, bad, query), { token: good })).toMatchObject({ status: 422 });
    }
    expect(await ask(`${url}${query === '' ? '?' : '&'}unknown=1`, { token: good })).toMatchObject({ status: 422 });
    const type = { ...headers, 'content-type': 'text/plain' };
    if (route.method !== 'GET')
      expect(await ask(url, { token: good, headers: type, body: 'x=1' })).toMatchObject({ status: 415 });
    if (takesJson(route)) {
      const unknown = await ask(url, { token: good, body: { ...Object(body), unknown: 1 } });
      expect([unknown.status, unknown.text.includes('/body/unknown')]).toEqual([422, true]);
      const huge = { 'content-type': 'application/json' };
      const large = await ask(url, { token: good, headers: huge, body: `{"a":"${'x'.repeat(2 * 1024 * 1024)}"}` });
      expect([large.status, large.type]).toEqual([413, 'application/problem+json']);
    }

    const done = await ask(url, { token: good });
    expect([done.status, done.status === status ? '' : done.text]).toEqual([status, '']);
    if (status >= 400) expect(JSON.parse(done.text)).toMatchObject({ status, requestId: expect.any(String) });
  });
});
