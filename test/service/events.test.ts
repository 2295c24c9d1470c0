/** Ends of execs and sandboxes that a service takes with it, as events say them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { compiled } from '../compiled.ts';
import { openCaisson } from '../../src/main.ts';
import type { CaissonApi } from '../../src/service/api.ts';

let root: string;
let home: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'caisson-events-'));
  home = join(root, 'home');
});
afterEach(async () => await rm(root, { recursive: true, maxRetries: 5 }));

const env = () => ({
  PATH: process.env['PATH'],
  HOME: root,
  CAISSON_TERMINAL_BACKEND: 'local',
  CAISSON_SECURITY_TIRITH_ENABLED: 'false',
});
const open = async (): Promise<CaissonApi> => await openCaisson({ home, env: env(), cwd: root });

async function eventsOf(caisson: CaissonApi, type: string): Promise<readonly (readonly unknown[])[]> {
  const all = (await Array.fromAsync(caisson.events.follow())).filter((event) => event.type === type);
  return all.map(({ author, reason, data }) => [author, reason, data['execId'] ?? data['to'], data['reason']]);
}

it('a service that is closed ends its execs and removes ephemeral sandboxes as shutdown', async () => {
  const caisson = await open();
  const running = await caisson.exec({ command: ['sleep', '30'] });
  running.ignore();
  await caisson.close();
  await using next = { caisson: await open(), [Symbol.asyncDispose]: async () => await next.caisson.close() };
  expect(await eventsOf(next.caisson, 'exec.ended')).toEqual([['shutdown', null, running.id, 'canceled']]);
  expect((await eventsOf(next.caisson, 'sandbox.state')).at(-1)).toEqual(['shutdown', null, 'removed', undefined]);
}, 60_000);

it('an exec that was cut off by a crash gets one end: lost, or what its record says that it ended with', async () => {
  await (await open()).close();
  const program = fileURLToPath(new URL('events.process.ts', import.meta.url));
  const child = spawn(process.execPath, [program, home], {
    env: { ...compiled, ...env() },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const line: readonly unknown[] = await once(createInterface({ input: child.stdout }), 'line');
  const [ended, running] = String(line[0]).split(' ');
  child.kill('SIGKILL');
  await once(child, 'exit');
  // Without its record, the crash seems to have come before that was written.
  const db = new DatabaseSync(join(home, 'caisson.db'));
  expect(db.prepare("DELETE FROM events WHERE type = 'exec.ended'").run().changes).toBe(1);
  db.close();
  const expected = [
    ['reaper', 'unfinished', ended, 'exited'],
    ['reaper', 'unfinished', running, 'lost'],
  ];
  for (let round = 0; round < 2; round++) {
    const caisson = await open();
    await expect.poll(async () => await eventsOf(caisson, 'exec.ended'), { timeout: 20_000 }).toEqual(expected);
    await caisson.close();
  }
}, 60_000);
