/** Back-pressure of a text, which reaches the command where the reader is in the same process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Caisson } from '../../../src/service/caisson.ts';
import { openCaisson } from '../../../src/main.ts';
import { readUntil } from '../../conformance/command.ts';

let home = '';
let caisson: Caisson;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'caisson-sessions-'));
  caisson = await openCaisson({
    home: join(home, 'caisson'),
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: home, CAISSON_TERMINAL_BACKEND: 'local' },
    cwd: home,
  });
  await caisson.sandboxes.create({ taskId: 'work' });
});
afterAll(async () => {
  await caisson.sandboxes.remove('work');
  await caisson.close();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

it('a text stops when its reader stops, and goes on with it', { timeout: 60_000 }, async () => {
  const text = 'head -c 8000000 /dev/zero; echo done >&2';
  const running = await caisson.sessions.exec({ taskId: 'work', name: 'slow', text });
  const ended = readUntil(running.stderr, 'done').then(() => 'done');
  let bytes = 0;
  let isSlow = true;
  // A stream that is never read holds nothing; one whose reader has begun does.
  running.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (isSlow) running.stdout.pause();
  });
  expect(await Promise.race([ended, delay(500, 'held')])).toBe('held');
  isSlow = false;
  running.stdout.resume();
  expect(await ended).toBe('done');
  expect((await running.exit).exitCode).toBe(0);
  await running.session;
  expect(bytes).toBe(8_000_000);
});
