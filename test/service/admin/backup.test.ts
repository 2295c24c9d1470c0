/** `installation.backup`: a copy of a state directory that is in use, and what is put back from it. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { openCaisson } from '../../../src/main.ts';
import type { Caisson } from '../../../src/service/caisson.ts';

function world() {
  const root = mkdtempSync(join(tmpdir(), 'caisson-backup-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const home = join(root, 'home');
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(join(home, 'config.yaml'), 'terminal: {backend: local}\napprovals: {mode: "off"}\n', { mode: 0o600 });
  writeFileSync(join(home, '.env'), 'SOME_KEY=secret-value\n', { mode: 0o600 });
  const env = { PATH: process.env['PATH'], HOME: root, CAISSON_SECURITY_TIRITH_ENABLED: 'false' };
  const open = async (): Promise<Caisson> => {
    const caisson = await openCaisson({ home, env, cwd: root, approver: 'queue' });
    onTestFinished(async () => await caisson.close());
    return caisson;
  };
  /** Has the backup take the place of the state directory, as the page on operating says. */
  const restore = (backup: string): void => {
    renameSync(home, `${home}.old`);
    renameSync(backup, home);
    rmSync(join(home, 'directory-id'));
  };
  return { root, home, open, restore };
}

it('a backup that is made under load has all that had ended before it, and is taken over without a loss', async () => {
  const { root, home, open, restore } = world();
  const caisson = await open();
  const { token } = await caisson.tokens.create({ name: 'agent', scopes: ['run'] }, 'test');
  await caisson.run({ taskId: 'build', command: ['sh', '-c', 'echo first'], execId: 'exec_first' });
  const over = new AbortController();
  const ended: string[] = [];
  const load = Array.from({ length: 4 }, async (_, worker) => {
    for (let count = 0; !over.signal.aborted; count++) {
      const execId = `exec_${worker}-${count}`;
      await caisson.run({ taskId: `task-${worker}`, command: ['echo', execId], execId });
      ended.push(execId);
    }
  });
  await expect.poll(() => ended.length, { timeout: 15_000 }).toBeGreaterThan(20);
  const before = [...ended];
  const made = await caisson.installation.backup(join(root, 'monday'));
  over.abort();
  await Promise.all(load);
  await caisson.close();
  expect(made).toMatchObject({ directory: join(root, 'monday'), files: expect.any(Number) });
  expect(readdirSync(root).filter((name) => name.includes('partial'))).toEqual([]);
  expect(statSync(made.directory).mode & 0o777).toBe(0o700);
  expect(statSync(join(made.directory, '.env')).mode & 0o777).toBe(0o600);

  restore(made.directory);
  const next = await open();
  expect(next.config.notices.filter((notice) => /damaged|version|instance/.test(notice))).toEqual([]);
  expect(await next.audit.verify()).toMatchObject({ intact: true, torn: 0 });
  expect(await next.tokens.authenticate(token)).toMatchObject({ name: 'agent' });
  const { items } = await next.sandboxes.list();
  expect(items.map(({ taskId }) => taskId)).toEqual(expect.arrayContaining(['build', 'task-0', 'task-3']));
  for (const execId of ['exec_first', ...before])
    expect([execId, (await next.execs.get(execId)).exit]).toMatchObject([execId, { reason: 'exited', exitCode: 0 }]);
  // An id that is on record gives its exec: nothing runs a second time.
  const again = await next.run({ taskId: 'build', command: ['sh', '-c', 'echo first'], execId: 'exec_first' });
  expect(again).toMatchObject({ stdout: { text: 'first\n' } });
  expect(existsSync(join(home, 'caisson.db.lock'))).toBe(true);
}, 60_000);

it('a record that is in the backup has its exec id taken, so that no command runs twice from it', async () => {
  const { root, open, restore } = world();
  const caisson = await open();
  const file = join(root, 'runs');
  const over = new AbortController();
  let last = 0;
  const load = (async () => {
    for (let count = 0; !over.signal.aborted; count++) {
      await caisson.run({
        taskId: 'build',
        command: ['sh', '-c', `echo ${count} >> ${file}`],
        execId: `exec_n-${count}`,
      });
      last = count;
    }
  })();
  await expect.poll(() => last, { timeout: 15_000 }).toBeGreaterThan(5);
  const { directory } = await caisson.installation.backup(join(root, 'tuesday'));
  over.abort();
  await load;
  await caisson.close();
  restore(directory);
  const next = await open();
  const { items } = await next.execs.list({ task: 'build', limit: 1000 });
  const store = new DatabaseSync(join(root, 'home/caisson.db'));
  for (const { id } of items)
    expect([id, store.prepare('SELECT count(*) AS n FROM execs WHERE id = ?').get(id)?.['n']]).toEqual([id, 1]);
  store.close();
}, 60_000);

it('has no caches, files of sandboxes, sockets or links, and says where the restored directory came from', async () => {
  const { root, home, open } = world();
  const caisson = await open();
  await caisson.run({ taskId: 'build', command: ['true'] });
  for (const name of ['uploads', 'sandboxes/local/x']) mkdirSync(join(home, name), { recursive: true });
  symlinkSync('/etc/passwd', join(home, 'link'));
  const server = createServer().listen(join(home, 'service.sock'));
  await new Promise((resolve) => server.once('listening', resolve));
  const { directory } = await caisson.installation.backup(join(root, 'wednesday'));
  server.close();
  const names = readdirSync(directory);
  expect(names).toEqual(expect.arrayContaining(['.env', 'audit', 'caisson.db', 'config.yaml', 'instance', 'journal']));
  for (const name of ['uploads', 'sandboxes', 'cache', 'link', 'service.sock', 'reserve', 'caisson.db-wal'])
    expect(names).not.toContain(name);
});

it('has nothing of the service that runs: a command with the copy as its state directory would go to the first one', async () => {
  const { root, home, open } = world();
  const caisson = await open();
  const live = ['service.json', 'service.answer', 'service.lock', 'service.json.0123.new'];
  for (const name of live) writeFileSync(join(home, name), 'token', { mode: 0o600 });
  const { directory } = await caisson.installation.backup(join(root, 'thursday'));
  expect(readdirSync(directory).filter((name) => name.startsWith('service.'))).toEqual([]);
});

it('is refused inside of the state directory and where something is, and leaves nothing behind', async () => {
  const { root, home, open } = world();
  const caisson = await open();
  const refused = async (directory: string) =>
    await caisson.installation.backup(directory).then(
      () => 'made',
      (error: unknown) => String(Reflect.get(Object(error), 'code')),
    );
  expect(await refused(join(home, 'backup'))).toBe('invalid_argument');
  expect(await refused(home)).toBe('invalid_argument');
  symlinkSync(home, join(root, 'link'));
  expect(await refused(join(root, 'link/backup'))).toBe('invalid_argument');
  rmSync(join(root, 'link'));
  mkdirSync(join(root, 'there'));
  expect(await refused(join(root, 'there'))).toBe('already_exists');
  expect(await refused(join(root, 'not/there'))).toBe('failed_precondition');
  expect(readdirSync(root).toSorted()).toEqual(['home', 'there']);
});

it('of two to one name at once, one is made, and the other says that the name is taken (R11)', async () => {
  const { root, open } = world();
  const caisson = await open();
  const both = await Promise.allSettled([1, 2].map(() => caisson.installation.backup(join(root, 'both'))));
  const codes = both.map((each) => (each.status === 'fulfilled' ? 'made' : String(Reflect.get(each.reason, 'code'))));
  expect(codes.toSorted()).toEqual(['already_exists', 'made']);
});

it('a state directory of a newer Caisson is refused, and stays as it is', async () => {
  const { home, open } = world();
  const caisson = await open();
  await caisson.sandboxes.create({ taskId: 'build' });
  await caisson.close();
  const change = (sql: string): void => {
    const db = new DatabaseSync(join(home, 'caisson.db'));
    db.exec(sql);
    db.close();
  };
  change("INSERT INTO migrations (version, applied_at) VALUES (900, '2026-01-01')");
  await expect(open()).rejects.toMatchObject({
    code: 'failed_precondition',
    message: expect.stringContaining('newer Caisson'),
    remedy: expect.stringContaining('use that newer version'),
  });
  change('DELETE FROM migrations WHERE version = 900');
  const { items } = await (await open()).sandboxes.list();
  expect(items.map(({ taskId }) => taskId)).toEqual(['build']);
});
