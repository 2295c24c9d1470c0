/** The table of verbs against the API as it is. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { routes, table } from '../../src/http/table.ts';
import { openWorld, type World } from './world.ts';

let world: World;
beforeAll(async () => (world = await openWorld()));
afterAll(async () => await world[Symbol.asyncDispose]());

/** Names of functions of an object and of what it inherits, with those of the nouns in it. */
function verbsOf(noun: object, before = ''): readonly string[] {
  const names = new Set<string>();
  for (let each: object | null = noun; each !== null && each !== Object.prototype; each = Object.getPrototypeOf(each))
    for (const name of Object.getOwnPropertyNames(each)) names.add(name);
  names.delete('constructor');
  return [...names].flatMap((name) => {
    const value: unknown = Reflect.get(noun, name);
    if (typeof value === 'function') return [before + name];
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
    return before.split('.').length > 2 ? [] : verbsOf(value, `${before}${name}.`);
  });
}

/** Verbs of classes behind the API, which its types do not have. */
const internal = new Set([
  ...['policy.hooks.concerns', 'policy.hooks.pass', 'processes.collect', 'processes.forgetSandbox', 'processes.logs'],
  'sessions.closeAll',
]);
/** It makes a handle, whose verbs are those of the table. */
const handle = 'task';

it('every verb of the API stands in the table with a route or with the reason why it has none, and nothing else does', () => {
  expect(Object.keys(table).toSorted()).toEqual(
    verbsOf(world.api)
      .filter((verb) => verb !== handle && !internal.has(verb))
      .toSorted(),
  );
});

it('every route is there once, with a scope, below /v1', () => {
  const names = routes.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(names).size).toBe(names.length);
  for (const { path, scope } of routes) {
    expect(path).toMatch(/^\/v1(?:\/(?:[a-z-]+|\{[a-zA-Z]+\}))+$/);
    expect(['run', 'read', 'approve', 'admin']).toContain(scope);
  }
});

it('only admin reaches hooks, trust, YOLO, garbage collection, image builds, configuration, tokens and the check of the audit', () => {
  const verbs = [
    ...['policy.hooks.list', 'policy.hooks.accept', 'backends.confirmHostKey', 'approvals.skip', 'sandboxes.gc'],
    ...[
      'images.build',
      'config.show',
      'config.set',
      'config.reload',
      'config.pending',
      'tokens.create',
      'tokens.list',
      'tokens.remove',
      'audit.verify',
    ],
  ] as const;
  for (const verb of verbs) {
    const entry = table[verb];
    expect([verb, 'none' in entry ? [] : entry.map(({ scope }) => scope)]).toEqual([verb, ['admin']]);
  }
});

it('no route reaches paths of the host, skills by path, or secrets of children', () => {
  for (const verb of ['files.copyIn', 'files.copyOut', 'files.sync', 'secrets.scanSkill', 'mcpServers.child'] as const)
    expect([verb, 'none' in table[verb]]).toEqual([verb, true]);
});
