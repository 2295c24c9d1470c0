import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openCaisson } from '../../src/main.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { withoutHistory, withoutPool, withoutSamples, withoutService } from '../store/earlier.ts';

let home = '';
let caisson: Caisson;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'caisson-replay-'));
  caisson = await openCaisson({
    home: join(home, 'caisson'),
    env: { PATH: process.env['PATH'], HOME: home, TMPDIR: home, CAISSON_TERMINAL_BACKEND: 'local' },
    cwd: home,
  });
});
afterAll(async () => {
  await caisson.sandboxes.remove('work');
  await caisson.close();
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
});

it(
  'a repeated exec id is the same exec, while it runs and afterwards, and runs nothing twice',
  { timeout: 60_000 },
  async () => {
    const request = {
      taskId: 'work',
      execId: 'exec_same',
      command: ['sh', '-c', 'echo "$$"; echo x >>ran; sleep 0.5; echo end >&2; exit 3'],
    } as const;
    const started = await Promise.all([caisson.exec(request), caisson.exec(request), caisson.exec(request)]);
    const reported = await Promise.all(
      started.map(async ({ stdout, stderr, exit }) => [await text(stdout), await text(stderr), (await exit).exitCode]),
    );
    expect(new Set(reported.map(String)).size).toBe(1);
    const later = await caisson.run(request);
    expect([later.stdout.text, later.stderr.text, later.exit.exitCode]).toEqual(reported[0]);
    expect((await caisson.run({ taskId: 'work', command: ['wc', '-l', 'ran'] })).stdout.text).toBe('1 ran\n');
  },
);

it('a repeated exec is canceled for all who hold it', { timeout: 60_000 }, async () => {
  const request = { taskId: 'work', execId: 'exec_cancel', command: ['sleep', '300'] } as const;
  const [first, second] = [await caisson.exec(request), await caisson.exec(request)];
  await second.cancel();
  expect([(await first.exit).reason, (await second.exit).reason]).toEqual(['canceled', 'canceled']);
});

it('an id is an exec or a detached process, and never both', { timeout: 60_000 }, async () => {
  const command = ['sh', '-c', 'echo x >>both'] as const;
  const ran = await caisson.run({ taskId: 'work', execId: 'exec_first', command });
  await expect(caisson.processes.start({ taskId: 'work', execId: 'exec_first', command })).rejects.toMatchObject({
    code: 'already_exists',
  });
  expect((await caisson.run({ taskId: 'work', execId: 'exec_first', command })).exit).toEqual(ran.exit);
  await caisson.processes.start({ taskId: 'work', execId: 'exec_second', command });
  await caisson.processes.wait('exec_second');
  const session = { taskId: 'work', name: 'ids', text: command[2], execId: 'exec_second' };
  const again = caisson.run({ taskId: 'work', execId: 'exec_second', command });
  await expect(again).rejects.toMatchObject({ code: 'already_exists' });
  await expect(caisson.sessions.run(session)).rejects.toMatchObject({ code: 'already_exists' });
  expect((await caisson.processes.start({ taskId: 'work', execId: 'exec_second', command })).started).toBe(false);
  expect((await caisson.run({ taskId: 'work', command: ['wc', '-l', 'both'] })).stdout.text).toBe('2 both\n');
});

it('what names nothing is not found, and a task in which nothing ran has an empty record', async () => {
  const read = (id: string, after = 0) => Array.fromAsync(caisson.execs.logs(id, { after }));
  for (const id of ['nosuch', 'exec_nosuch'])
    await expect(read(id)).rejects.toMatchObject({ code: 'not_found', details: { id } });
  const { sandbox } = await caisson.sandboxes.create({ taskId: 'silent' });
  for (const id of ['silent', sandbox.id]) expect(await read(id)).toEqual([]);
  const { execId } = await caisson.run({ taskId: 'silent', command: ['true'] });
  expect(await read(execId, 1000)).toEqual([]);
  await caisson.sandboxes.remove('silent');
  expect(await read('silent')).toHaveLength(2);
});

it('one id for many at once is started once at most', { timeout: 60_000 }, async () => {
  await caisson.sandboxes.create({ taskId: 'other' });
  for (let round = 0; round < 10; round += 1) {
    const execId = `exec_race-${round}`;
    const command = ['sh', '-c', `echo ${round} >>raced`] as const;
    await Promise.allSettled([
      caisson.run({ taskId: 'work', execId, command }),
      caisson.processes.start({ taskId: 'work', execId, command }),
      caisson.processes.start({ taskId: 'other', execId, command }),
    ]);
    await caisson.processes.wait(execId).catch(() => undefined); // it is absent when the exec was first
  }
  const { stdout } = await caisson.run({ taskId: 'work', command: ['sh', '-c', 'sort raced | uniq -d'] });
  expect(stdout.text).toBe('');
  await caisson.sandboxes.remove('other');
});

it(
  'a client that is dropped 200 times at random goes on without a byte lost or doubled',
  { timeout: 120_000 },
  async () => {
    const lines = 4000;
    const command = [
      'sh',
      '-c',
      `i=0; while [ $i -lt ${lines} ]; do echo "out $i"; echo "err $i" >&2; i=$((i+1)); [ $((i%20)) != 0 ] || sleep 0.01; done; exit 6`,
    ] as const;
    const running = await caisson.exec({ taskId: 'work', execId: 'exec_drop', command });
    running.ignore();
    const said = { stdout: '', stderr: '' };
    let [after, drops, exitCode] = [0, 0, null as number | null];
    while (exitCode === null) {
      let left = drops >= 200 ? Infinity : Math.random() < 0.75 ? 0 : 1; // few are consumed: a busy machine has few
      for await (const { seq, event } of caisson.execs.logs('exec_drop', { after, follow: true })) {
        expect(seq).toBeGreaterThan(after);
        if (left-- <= 0) break;
        after = seq;
        if (event.type === 'stdout' || event.type === 'stderr') said[event.type] += Buffer.from(event.bytes).toString();
        if (event.type === 'exit') exitCode = event.exit.exitCode;
      }
      drops += 1;
    }
    const wanted = (word: string): string => Array.from({ length: lines }, (_, index) => `${word} ${index}\n`).join('');
    expect(exitCode).toBe(6);
    expect(said).toEqual({ stdout: wanted('out'), stderr: wanted('err') });
    expect(drops).toBeGreaterThanOrEqual(200);
  },
);

it(
  'a program is run in a fresh directory, without secrets of the configuration, and leaves nothing, also when its time is over',
  { timeout: 60_000 },
  async () => {
    const ran = await caisson.run({
      taskId: 'work',
      code: { language: 'bash', text: 'pwd; ls -A; touch left; exit 4' },
    });
    const [directory, files] = ran.stdout.text.split('\n');
    expect([files, ran.exit.exitCode]).toEqual(['main.sh', 4]);
    const late = await caisson.run({
      taskId: 'work',
      timeoutMs: 3000,
      code: { language: 'bash', text: 'pwd; trap "" TERM; while :; do sleep 0.1; done' },
    });
    expect([late.exit.reason, late.stdout.text]).toEqual(['timed-out', expect.stringContaining('caisson-code-')]);
    const look = await caisson.run({ taskId: 'work', command: ['ls', '-d', directory ?? '', late.stdout.text.trim()] });
    expect([look.stdout.text, directory?.includes('caisson-code-')]).toEqual(['', true]);
  },
);

it(
  'a removed sandbox leaves nothing of its sessions and processes in a home that others share',
  { timeout: 60_000 },
  async () => {
    await caisson.sessions.run({ taskId: 'work', name: 'dev', text: 'X=1' });
    const { id } = await caisson.processes.start({ taskId: 'work', command: ['true'] });
    await caisson.processes.wait(id);
    expect(await readdir(join(home, '.local/state/caisson'))).toHaveLength(1);
    await caisson.sandboxes.remove('work');
    expect(await readdir(join(home, '.local/state/caisson'))).toEqual([]);
    await expect(caisson.processes.wait(id)).rejects.toMatchObject({ code: 'not_found' });
    await caisson.sandboxes.create({ taskId: 'work' });
  },
);

it(
  'an id that another request has used is a conflict, and says nothing of that request',
  { timeout: 60_000 },
  async () => {
    const used = { taskId: 'work', execId: 'exec_used', command: ['echo', 'private words'] } as const;
    await caisson.run(used);
    await caisson.sandboxes.create({ taskId: 'stranger' });
    for (const other of [
      { ...used, taskId: 'stranger' },
      { ...used, command: ['echo', 'other'] as const },
      { ...used, cwd: '/' },
    ]) {
      const error: unknown = await caisson.run(other).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'conflict' });
      expect(JSON.stringify(error)).not.toMatch(/private|work/);
      await expect(caisson.processes.start(other)).rejects.toMatchObject({ code: 'conflict' });
    }
    await caisson.sandboxes.remove('stranger');
  },
);

it('an id whose record is gone is lost, and never runs again', { timeout: 60_000 }, async () => {
  const own = await mkdtemp(join(tmpdir(), 'caisson-gone-'));
  const env = { PATH: process.env['PATH'], HOME: own, TMPDIR: own, CAISSON_TERMINAL_BACKEND: 'local' };
  const open = () => openCaisson({ home: join(own, 'caisson'), env, cwd: own });
  const request = { taskId: 'once', execId: 'exec_once', command: ['sh', '-c', `echo run >>${own}/runs`] } as const;
  const first = await open();
  await first.run(request);
  await first.close();
  await rm(join(own, 'caisson', 'journal'), { recursive: true });
  const second = await open();
  const { exit } = await second.run(request);
  expect(exit).toMatchObject({ reason: 'lost', exitCode: null });
  await second.sandboxes.remove('once');
  await second.close();
  expect(await readFile(join(own, 'runs'), 'utf8')).toBe('run\n');
  await rm(own, { recursive: true, force: true });
});

it('an id that is repeated is not answered where a rule denies the command by now', { timeout: 60_000 }, async () => {
  const own = await mkdtemp(join(tmpdir(), 'caisson-denied-'));
  const env = { PATH: process.env['PATH'], HOME: own, TMPDIR: own, CAISSON_TERMINAL_BACKEND: 'local' };
  const open = (deny: readonly string[]) => openCaisson({ home: join(own, 'caisson'), env, cwd: own, rules: { deny } });
  const command = { taskId: 'judged', execId: 'exec_judged', command: ['echo', 'private'] } as const;
  const code = { language: 'bash', text: 'echo private' } as const;
  const program = { taskId: 'judged', execId: 'exec_program', code } as const;
  const first = await open([]);
  await first.run(command);
  await first.run(program);
  await first.close();
  const second = await open(['terminal(echo *)', 'execute_code']);
  for (const request of [command, program]) {
    const error: unknown = await second.run(request).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'policy_denied' });
  }
  const entries = await Array.fromAsync(second.audit.tail({ count: 100 }));
  expect(entries.filter((entry) => entry.type === 'decision' && entry['verdict'] === 'deny')).toHaveLength(2);
  await second.sandboxes.remove('judged');
  await second.close();
  await rm(own, { recursive: true, force: true });
});

it('ids are known again after a damaged database was set aside', { timeout: 60_000 }, async () => {
  const own = await mkdtemp(join(tmpdir(), 'caisson-damaged-'));
  const home = join(own, 'caisson');
  const env = { PATH: process.env['PATH'], HOME: own, TMPDIR: own, CAISSON_TERMINAL_BACKEND: 'local' };
  const open = () => openCaisson({ home, env, cwd: own });
  const request = { taskId: 'kept', execId: 'exec_kept', command: ['sh', '-c', `echo run >>${own}/runs`] } as const;
  const before = await open();
  await before.run(request);
  await before.close();
  await writeFile(join(home, 'caisson.db'), 'no database at all, but a text that is long enough to be read as one');
  const after = await open();
  expect((await after.run(request)).exit.exitCode).toBe(0);
  await expect(after.run({ ...request, taskId: 'stranger' })).rejects.toMatchObject({ code: 'conflict' });
  expect(await readFile(join(own, 'runs'), 'utf8')).toBe('run\n');
  await after.sandboxes.gc({ dryRun: false });
  await after.close();
  await rm(own, { recursive: true, force: true });
});

it('ids of an earlier version are taken over, of execs and of detached processes', { timeout: 60_000 }, async () => {
  const own = await mkdtemp(join(tmpdir(), 'caisson-earlier-'));
  const at = join(own, 'caisson');
  const env = { PATH: process.env['PATH'], HOME: own, TMPDIR: own, CAISSON_TERMINAL_BACKEND: 'local' };
  const open = () => openCaisson({ home: at, env, cwd: own });
  const request = { taskId: 'old', execId: 'exec_old', command: ['sh', '-c', `echo run >>${own}/runs`] } as const;
  const detached = { taskId: 'old', execId: 'exec_back', command: ['sleep', '30'] } as const;
  const before = await open();
  await before.run(request);
  const { where } = await before.processes.start(detached);
  await before.close();
  // The store is taken back to version 2: no table, and a file for each detached process.
  const db = new DatabaseSync(join(at, 'caisson.db'));
  db.exec(`${withoutSamples} ${withoutHistory} ${withoutPool} DROP TABLE event_owners; DROP INDEX sandboxes_by_age; DROP INDEX sandboxes_by_owner; DROP INDEX approvals_pending;
    ALTER TABLE sandboxes DROP COLUMN owner; ${withoutService} DROP TABLE execs; DROP TABLE grants; DROP TRIGGER grants_end_with_sandbox;
    DELETE FROM migrations WHERE version > 2; DELETE FROM meta WHERE key IN ('execs_indexed', 'clock');
    ALTER TABLE sandboxes DROP COLUMN created_boot; ALTER TABLE sandboxes DROP COLUMN used_boot;
    ALTER TABLE sandboxes DROP COLUMN ended_by; ALTER TABLE sandboxes DROP COLUMN configured; ALTER TABLE sandboxes DROP COLUMN lost_since; ALTER TABLE owners DROP COLUMN heartbeat_boot_ms`);
  db.close();
  await mkdir(join(at, 'processes'));
  await writeFile(join(at, 'processes', 'exec_back'), where.sandboxId);
  const after = await open();
  expect((await after.run(request)).exit.exitCode).toBe(0);
  expect(await readFile(join(own, 'runs'), 'utf8')).toBe('run\n');
  await after.sandboxes.create({ taskId: 'stranger' });
  await expect(after.run({ ...request, taskId: 'stranger' })).rejects.toMatchObject({ code: 'conflict' });
  expect((await after.processes.start(detached)).started).toBe(false);
  expect(await after.processes.list({ task: 'old' })).toMatchObject([{ id: 'exec_back', state: 'running' }]);
  await after.processes.kill('exec_back');
  await after.sandboxes.remove('old');
  await after.sandboxes.remove('stranger');
  await expect(after.processes.start(detached)).rejects.toMatchObject({ code: 'already_exists' });
  await after.sandboxes.remove('old');
  await after.close();
  await rm(own, { recursive: true, force: true });
});
