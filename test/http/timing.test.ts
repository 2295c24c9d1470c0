/** Server-Timing of creates, commands and files. */
import { expect, it } from 'vitest';
import { openWorld } from './world.ts';

it('creates, commands and files say where their time went', async () => {
  await using world = await openWorld();
  const timesOf = (response: Response): readonly string[] =>
    (response.headers.get('server-timing') ?? '').split(', ').map((each) => each.replace(/;dur=\d+\.\d$/, ''));
  const at = '/v1/sandboxes/build';
  expect(timesOf(await world.ask('/v1/sandboxes', { body: { taskId: 'build' } }))).toEqual([
    'queue',
    'create',
    'prove',
    'network',
    'total',
  ]);
  const body = { command: ['true'] };
  const streamed = await world.ask(`${at}/execs`, { body });
  expect(timesOf(streamed)).toEqual(['policy', 'start', 'total']);
  await streamed.text();
  const whole = await world.ask(`${at}/execs`, { body, headers: { accept: 'application/json' } });
  expect(timesOf(whole)).toEqual(['policy', 'start', 'total']);
  const file = `${at}/files?path=${encodeURIComponent(`${world.root}/a`)}`;
  const bytes = { 'content-type': 'application/octet-stream' };
  expect(timesOf(await world.ask(file, { method: 'PUT', body: 'x', headers: bytes }))).toEqual(['total']);
  expect(timesOf(await world.ask(file))).toEqual(['total']);
  expect((await world.ask('/v1/tokens')).headers.has('server-timing')).toBe(false);
});
