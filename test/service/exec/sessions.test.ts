import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

const say = (name: string, text: string, more: { readonly timeoutMs?: number } = {}, signal?: AbortSignal) =>
  caisson.sessions.run({ taskId: 'work', name, text, ...more }, signal === undefined ? {} : { signal });

describe('calls of one session', { timeout: 60_000 }, () => {
  it('wait for each other, in the order in which they came', async () => {
    await say('queue', 'said=');
    const words = ['one', 'two', 'three', 'four'];
    const results = await Promise.all(
      words.map((word) => say('queue', `sleep 0.05; said="$said $((n+=1))"; echo ${word}`)),
    );
    expect(results.map(({ stdout }) => stdout.text)).toEqual(words.map((word) => `${word}\n`));
    expect((await say('queue', 'echo $said')).stdout.text).toBe('1 2 3 4\n');
  });

  it('go on when one of them gave up while it waited, and that one has not run', async () => {
    const first = say('giving-up', 'ran=first; sleep 0.5');
    const waiting = say('giving-up', 'ran="$ran waiting"', {}, AbortSignal.timeout(100));
    const last = say('giving-up', 'echo $ran');
    await expect(waiting).rejects.toMatchObject({ code: 'timed_out' });
    expect([(await first).exit.exitCode, (await last).stdout.text]).toEqual([0, 'first\n']);
  });
});

describe('a text that is started', { timeout: 60_000 }, () => {
  const start = (name: string, text: string, env: Record<string, string> = {}) =>
    caisson.sessions.exec({ taskId: 'work', name, text, env });
  const until = (file: string): string => `until [ -e ${join(home, file)} ]; do sleep 0.02; done`;
  const make = (file: string): Promise<void> => writeFile(join(home, file), '');

  it('gives its output as it comes, both streams apart, and then its exit', async () => {
    const running = await start('stream', `echo first; ${until('one')}; echo '> ' >&2; ${until('two')}; exit 3`);
    expect(await readUntil(running.stdout, 'first\n')).toBe('first\n');
    await make('one');
    expect(await readUntil(running.stderr, '> ')).toBe('> \n');
    await make('two');
    expect(await running.exit).toMatchObject({ reason: 'exited', exitCode: 3, stdout: { bytes: 6 } });
    expect(await running.session).toEqual({ sessionEnded: true, endStatus: 3 });
    const events = await Array.fromAsync(caisson.execs.logs(running.id));
    expect(events.map(({ event }) => event.type)).toEqual(['started', 'stdout', 'stderr', 'exit']);
  });

  it('has its session for itself until it has ended', async () => {
    const order: string[] = [];
    const running = await start('alone', `echo first; ${until('alone')}; echo last`);
    const next = start('alone', 'echo next').then(async (started) => {
      order.push('next started');
      started.ignore();
      return await started.exit;
    });
    await readUntil(running.stdout, 'first\n');
    order.push('first seen');
    await make('alone');
    void running.exit.then(() => order.push('first ended'));
    expect(await readUntil(running.stdout, 'last\n')).toBe('last\n');
    running.ignore();
    expect((await next).exitCode).toBe(0);
    expect(order).toEqual(['first seen', 'first ended', 'next started']);
  });

  it('is without secrets, also when they come in pieces', async () => {
    const text = `printf '<%s' "\${KEY%??????}"; ${until('piece')}; printf '%s>\\n' "\${KEY#"\${KEY%??????}"}"`;
    const running = await start('secret', text, {
      MY_API_KEY: 'a-value-to-hide',
      KEY: 'a-value-to-hide',
    });
    expect(await readUntil(running.stdout, '<')).toBe('<');
    await make('piece');
    expect(await readUntil(running.stdout, '>\n')).toMatch(/^\[REDACTED:\w+\]>\n$/);
    expect((await running.exit).redactions).toBe(1);
  });

  it('stops when its reader stops, and goes on with it', async () => {
    const running = await start('slow', 'head -c 8000000 /dev/zero; echo done >&2');
    const ended = readUntil(running.stderr, 'done').then(() => 'done');
    expect(await Promise.race([ended, delay(500, 'held')])).toBe('held');
    let bytes = 0;
    running.stdout.on('data', (chunk: Buffer) => (bytes += chunk.length));
    expect(await ended).toBe('done');
    expect((await running.exit).exitCode).toBe(0);
    await running.session;
    expect(bytes).toBe(8_000_000);
  });
});

describe('a session whose text runs out of time', { timeout: 60_000 }, () => {
  it('tells that its shell had to go, and the next call has the state from before', async () => {
    await say('late', 'X="kept $(echo so)"; f() { echo "f $X"; }; cd /usr');
    const late = await say('late', 'X=changed; echo begun; sleep 30; echo BAD', { timeoutMs: 400 });
    expect(late).toMatchObject({ sessionEnded: true, restored: false, exit: { reason: 'timed-out', survivors: [] } });
    expect(late.stdout.text).toBe('begun\n');
    const next = await say('late', 'f; pwd');
    expect(next).toMatchObject({ sessionEnded: false, restored: true, lost: [] });
    expect(next.stdout.text).toBe('f kept so\n/usr\n');
    expect((await say('late', 'f')).restored).toBe(false);
  });

  it('can be canceled by its caller in the same way', async () => {
    await say('canceled', 'Y=1');
    const canceled = await say('canceled', 'sleep 30', {}, AbortSignal.timeout(300));
    expect(canceled.exit.reason).toBe('canceled');
    expect((await say('canceled', 'echo $Y')).stdout.text).toBe('1\n');
  });
});

describe('a session that is opened again', { timeout: 60_000 }, () => {
  it('tells what it could not take up, once, to the caller that opens it', async () => {
    await say('again', 'ulimit -S -n 100');
    expect((await say('again', 'exit 3')).sessionEnded).toBe(true);
    expect(await say('again', 'exit 4')).toMatchObject({ restored: true, lost: ['limits set by ulimit'] });
    expect(await say('again', 'ulimit -S -n 100')).toMatchObject({ restored: true, lost: ['limits set by ulimit'] });
    await say('again', 'exit 3');
    const opened = await caisson.sessions.open({ taskId: 'work', name: 'again' });
    expect(opened).toMatchObject({ restored: true, lost: ['limits set by ulimit'] });
    expect(await caisson.sessions.open({ taskId: 'work', name: 'again' })).toMatchObject({ lost: [] });
    expect((await say('again', 'true')).lost).toEqual([]);
  });
});

describe('the sessions of a task', { timeout: 60_000 }, () => {
  it('are listed while state of them is kept, and are nothing once closed', async () => {
    const states = async (): Promise<unknown> =>
      (await caisson.sessions.list('work')).flatMap(({ name, open, shell }) =>
        name.startsWith('list') ? [[name, open, shell]] : [],
      );
    expect(await caisson.sessions.open({ taskId: 'work', name: 'list-a' })).toMatchObject({
      open: true,
      restored: false,
    });
    await say('list-b', 'Z=1');
    expect((await say('list-b', 'exit 3')).sessionEnded).toBe(true);
    expect(await states()).toEqual([
      ['list-a', true, 'bash'],
      ['list-b', false, null],
    ]);
    await caisson.sessions.close({ taskId: 'work', name: 'list-a' });
    await caisson.sessions.close({ taskId: 'work', name: 'list-b' });
    await caisson.sessions.close({ taskId: 'work', name: 'list-never' });
    expect(await states()).toEqual([]);
    expect((await say('list-b', 'echo "${Z-unset}"')).restored).toBe(false);
  });
});
