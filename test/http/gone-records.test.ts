/** An id that was used and has no record is `lost`, whichever way it is asked for: it may have run, and is not run again. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectCaisson } from '../../src/client/index.ts';
import { everyLine, openWorld, type World } from './world.ts';

const json = { accept: 'application/json' };
let directory: string;
let world: World;
const ran = () => readFileSync(join(directory, 'ran'), 'utf8');
const request = () => ({
  taskId: 'work',
  execId: 'exec_gone',
  command: ['sh', '-c', `echo once >>${directory}/ran`] as [string, ...string[]],
});
const lost = { reason: 'lost', exitCode: null, notes: [expect.stringContaining('its record is gone')] };

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'caisson-gone-'));
  const home = join(directory, 'home');
  const config = 'approvals: {mode: "off"}';
  const before = await openWorld({ home, config });
  await everyLine(await before.ask('/v1/execs', { body: request() }));
  await before[Symbol.asyncDispose]();
  const journal = join(home, 'journal');
  for (const name of readdirSync(journal, { recursive: true, encoding: 'utf8' }))
    if (/segment|\.seg|\.journal/.test(name)) rmSync(join(journal, name), { recursive: true, force: true });
  world = await openWorld({ home, config });
}, 60_000);
afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

describe('an exec whose record is gone (R3)', () => {
  it('is lost in the stream of the repeated request, and does not run again', async () => {
    const events = await everyLine(await world.ask('/v1/execs', { body: request() }));
    expect(events).toMatchObject([
      { type: 'started', execId: 'exec_gone', where: { taskId: 'work', backend: 'local' }, placed: { how: 'found' } },
      { type: 'exit', exit: lost },
    ]);
    expect(ran()).toBe('once\n');
  });

  it('is lost in the result of the repeated request', async () => {
    const answer = await world.ask('/v1/execs', { body: request(), headers: json });
    expect([answer.status, await answer.json()]).toMatchObject([200, { execId: 'exec_gone', exit: lost }]);
    const collected = await everyLine(await world.ask('/v1/execs', { body: { ...request(), collect: true } }));
    expect(collected.at(-1)).toMatchObject({ type: 'result', result: { exit: lost } });
  });

  it.each(['/v1/execs/exec_gone', '/v1/sandboxes/work/execs/exec_gone'])('is lost by GET %s', async (path) => {
    const answer = await world.ask(path, { headers: json });
    expect([answer.status, await answer.json()]).toMatchObject([200, { id: 'exec_gone', command: [], exit: lost }]);
    expect(await everyLine(await world.ask(path))).toMatchObject([
      { type: 'started', seq: 1 },
      { type: 'exit', exit: lost },
    ]);
    expect(await everyLine(await world.ask(`${path}?after=7`))).toMatchObject([{ type: 'exit', seq: 8, exit: lost }]);
  });

  it('is lost for the client and for the library', async () => {
    const client = connectCaisson({ url: world.url, token: world.agent });
    for (const api of [client, world.api]) {
      const running = await api.exec(request());
      expect(await running.exit).toMatchObject(lost);
      expect(await api.execs.get('exec_gone')).toMatchObject({ exit: lost });
      const events = await Array.fromAsync(api.execs.logs('exec_gone', { follow: true }));
      expect(events.map(({ event }) => event.type)).toEqual(['started', 'exit']);
      await api.execs.cancel('exec_gone');
    }
    await client.close();
    expect(ran()).toBe('once\n');
  });

  it('is a conflict for another request', async () => {
    const other = { ...request(), command: ['true'] };
    expect((await world.ask('/v1/execs', { body: other })).status).toBe(409);
  });
});
