import { expect } from 'vitest';
import type { Sandbox } from '../../../src/backend.ts';
import { collect, expectEndedBy, finish, isAlive, readUntil, type Result, sh } from '../command.ts';
import type { Place } from '../place.ts';
import type { Suite } from '../suite.ts';

/** Commands as another user of the sandbox than the one that runs all its commands. */
export function userCases(suite: Suite): void {
  if (!suite.place.facets.users) {
    suite.absent('users.absent', 'has no users facet and promises none, also on an attached sandbox', async (place) => {
      const sandbox = await place.sandbox();
      expect((await place.backend.attach(sandbox.ref)).users).toBeUndefined();
      expect([sandbox.users, place.guarantees.users]).toEqual([undefined, undefined]);
    });
    return;
  }

  suite.test('users.promised', 'promises users, and says in sentences what does not hold for them', async (place) => {
    for (const sentence of place.guarantees.users?.unheld ?? expect.fail('it promises no users'))
      expect(sentence.split(' ').length).toBeGreaterThan(3);
    expect((await place.backend.attach((await place.sandbox()).ref)).users).toBeDefined();
  });

  suite.test('users.number', 'runs a command as a user and a group by their numbers', async (place) => {
    const { exitCode, stdout } = await as(await place.sandbox(), '4242:4343', 'id -u; id -g');
    expect([exitCode, stdout.toString()]).toEqual([0, '4242\n4343\n']);
  });

  suite.test('users.name', 'runs a command as a user and a group by their names', async (place) => {
    const sandbox = await withNames(place);
    const said = async (user: string): Promise<string> => (await as(sandbox, user, 'id -u; id -g')).stdout.toString();
    expect([await said('app'), await said('app:team')]).toEqual(['4242\n4343\n', '4242\n4444\n']);
    await place.destroy(sandbox);
  });

  suite.test(
    'users.renamed',
    'reaches a command by the user that started it, whatever the name has become',
    async (place) => {
      const sandbox = await withNames(place);
      const how = { cwd: '/', env: {}, stdin: false };
      const process = await usersOf(sandbox).as('app').exec(['sleep', '300'], how);
      expect((await sh(sandbox, 'sed -i s/4242/4545/ /etc/passwd')).exitCode).toBe(0);
      await process.kill('SIGKILL');
      expectEndedBy(await finish(process), 'SIGKILL');
      await place.destroy(sandbox);
    },
  );

  suite.test('users.powerless', 'gives such a command no capability, and no way to one', async (place) => {
    const { stdout } = await as(await place.sandbox(), '4242', 'cat /proc/self/status');
    expect(stdout.toString()).toMatch(/^CapEff:\t0+$/m);
    expect(stdout.toString()).toMatch(/^NoNewPrivs:\t1$/m);
  });

  suite.test('users.missing', 'refuses names that the sandbox does not have, and starts nothing', async (place) => {
    const sandbox = await place.sandbox();
    for (const user of ['no-such-user', '4242:no-such-group', 'no-such-user:0']) {
      let sent = false;
      const how = { cwd: '/', env: {}, stdin: false, onSent: () => void (sent = true) };
      const started = usersOf(sandbox).as(user).exec(['true'], how);
      await expect(started).rejects.toMatchObject({ code: 'invalid_argument' });
      expect(sent).toBe(false);
    }
  });

  suite.test('users.directory', 'refuses a directory that the user may not enter', async (place) => {
    const sandbox = await place.create();
    const cwd = `${place.subject.spec.cwd}/of-root`;
    await sh(sandbox, `mkdir -m 700 ${cwd}`);
    const how = { cwd, env: {}, stdin: false };
    await expect(usersOf(sandbox).as('4242').exec(['true'], how)).rejects.toMatchObject({ code: 'invalid_argument' });
    await place.destroy(sandbox);
  });

  suite.test('users.environment', 'passes environment, directory, input and exit code as for others', async (place) => {
    const text = 'cat; printf "%s %s" "$GREETING" "$(pwd)"; exit 9';
    const how = { cwd: '/tmp', env: { GREETING: 'a b' }, stdin: true };
    const process = await usersOf(await place.sandbox())
      .as('4242')
      .exec(['sh', '-c', text], how);
    process.stdin?.end('read\n');
    const { exitCode, stdout } = await finish(process);
    expect([exitCode, stdout.toString()]).toEqual([9, 'read\na b /tmp']);
  });

  suite.test('users.program', 'tells a program that the user has not from one that fails', async (place) => {
    const start = usersOf(await place.sandbox()).as('4242');
    const end = await finish(await start.exec(['no-such-program-here'], { cwd: '/', env: {}, stdin: false }));
    expect(end).toMatchObject({ exitCode: 127, notStarted: 'not-found' });
  });

  for (const signal of ['SIGTERM', 'SIGKILL'] as const)
    suite.test(`users.${signal.toLowerCase()}`, `ends such a command by ${signal}`, async (place) => {
      const how = { cwd: '/', env: {}, stdin: false };
      const process = await usersOf(await place.sandbox())
        .as('4242')
        .exec(['sleep', '300'], how);
      await process.kill(signal);
      expectEndedBy(await finish(process), signal);
    });

  suite.test('users.apart', 'keeps such a command from ending a process of root', async (place) => {
    const sandbox = await place.create();
    const ofRoot = await sandbox.exec(['sh', '-c', 'echo $$; exec sleep 300'], { cwd: '/', env: {}, stdin: false });
    const pid = Number(await readUntil(ofRoot.stdout, '\n'));
    expect((await as(sandbox, '4242', `kill -9 ${pid}`)).exitCode).not.toBe(0);
    expect(await isAlive(sandbox, pid)).toBe(true);
    ofRoot.release();
    await place.destroy(sandbox);
  });

  if (suite.place.facets.pty)
    suite.test('users.terminal', 'runs on a terminal as that user, who may open it', async (place) => {
      const { pty } = usersOf(await place.sandbox()).as('4242');
      const text = 'id -u; [ -t 0 ] && echo terminal; : >/dev/tty && echo opened';
      const how = { cwd: '/', env: { TERM: 'dumb' }, columns: 80, rows: 24 };
      const process = await pty?.exec(['sh', '-c', text], how);
      const said = (await collect(process?.stdout ?? expect.fail('no terminal'))).toString();
      expect(said).toBe('4242\r\nterminal\r\nopened\r\n');
    });
}

/** A sandbox of its own, with a user and a group beside those of its image. */
async function withNames(place: Place): Promise<Sandbox> {
  const { isolation } = place.guarantees;
  // There it would be a file of this host, or of another one.
  if (isolation === 'none' || isolation === 'remote-host') throw new Error('this place has no files of its own');
  const sandbox = await place.create();
  const lines = ["echo 'app:x:4242:4343::/tmp:/bin/sh' >>/etc/passwd", "echo 'team:x:4444:' >>/etc/group"];
  expect((await sh(sandbox, lines.join(' && '))).exitCode).toBe(0);
  return sandbox;
}

const usersOf = ({ users }: Sandbox): NonNullable<Sandbox['users']> =>
  users ?? expect.fail('the users facet is missing on this object');

const as = async (sandbox: Sandbox, user: string, text: string): Promise<Result> =>
  await finish(await usersOf(sandbox).as(user).exec(['sh', '-c', text], { cwd: '/', env: {}, stdin: false }));
