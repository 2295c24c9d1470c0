import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { bytesOf, ended, numbered, Reading, refused, textOf } from '../reading.ts';
import type { Suite } from '../suite.ts';

const shell = (text: string): [string, ...string[]] => ['sh', '-c', text];

export function startCases(suite: Suite): void {
  streamCases(suite);
  stdinCases(suite);
  endCases(suite);
}

function streamCases(suite: Suite): void {
  suite.test('exec.short', 'is the short form of execs.start', async (place) => {
    const running = await place.agent.exec({ taskId: place.task, command: ['echo', 'hi'] });
    expect([await textOf(running.stdout), await running.exit]).toMatchObject(['hi\n', ended(0)]);
  });

  suite.placeTest(
    'execs.start.streams',
    'gives output as it comes, both streams apart, and then the exit',
    async (place) => {
      const flag = `${await place.directory()}/go`;
      const text = `echo first; echo error >&2; until [ -e ${flag} ]; do sleep 0.05; done; echo last; exit 3`;
      const running = await place.agent.execs.start({ taskId: place.task, command: shell(text) });
      const [stdout, stderr] = [new Reading(running.stdout), new Reading(running.stderr)];
      expect([await stdout.until('\n'), await stderr.until('\n')]).toEqual(['first\n', 'error\n']);
      await place.sh(`: >${flag}`);
      expect([(await stdout.rest()).toString(), (await stderr.rest()).toString()]).toEqual(['last\n', '']);
      expect(await running.exit).toMatchObject({ ...ended(3), stdout: { bytes: 11, complete: true } });
    },
  );

  suite.placeTest(
    'execs.start.bytes',
    'gives every byte, also of what is no text and of characters cut in two',
    async (place) => {
      const text = String.raw`printf '\360\237'; sleep 0.2; printf '\230\200\0\377\342\200\250"\\'`;
      const running = await place.agent.execs.start({ taskId: place.task, command: shell(text) });
      expect((await bytesOf(running.stdout)).toString('hex')).toBe('f09f988000ffe280a8225c');
      expect((await running.exit).exitCode).toBe(0);
    },
  );

  suite.placeTest('execs.start.large', 'gives 8 MB in order', async (place) => {
    const text = 'for c in a b c d e f g h; do head -c 1000000 /dev/zero | tr "\\0" $c; done';
    const running = await place.agent.execs.start({ taskId: place.task, command: shell(text) });
    const bytes = await bytesOf(running.stdout);
    const expected = Buffer.concat([...'abcdefgh'].map((letter) => Buffer.alloc(1_000_000, letter)));
    expect([bytes.length, bytes.equals(expected)]).toEqual([8_000_000, true]);
    expect((await running.exit).stdout).toMatchObject({ bytes: 8_000_000, complete: true });
  });

  suite.placeTest('execs.start.late-reader', 'keeps all output for a reader that comes late', async (place) => {
    const running = await place.agent.execs.start({ taskId: place.task, command: shell('head -c 3000000 /dev/zero') });
    await sleep(500);
    expect((await bytesOf(running.stdout)).length).toBe(3_000_000);
    expect(await running.exit).toMatchObject({ ...ended(0), stdout: { bytes: 3_000_000, complete: true } });
  });

  suite.test(
    'execs.start.unread',
    'holds nothing up where a stream is not read, says so in the exit, and keeps it for a later reader',
    async (place) => {
      const text = 'head -c 3000000 /dev/zero >&2; echo done';
      const running = await place.agent.execs.start({ taskId: place.task, command: shell(text), timeoutMs: 60_000 });
      expect(await textOf(running.stdout)).toBe('done\n');
      const { notes, ...exit } = await running.exit;
      expect(exit).toMatchObject({ ...ended(0), stderr: { bytes: 3_000_000, complete: true, truncated: false } });
      expect(notes).toEqual([expect.stringMatching(/^stderr was not read: /)]);
      expect((await bytesOf(running.stderr)).length).toBe(3_000_000);
    },
  );

  suite.test('execs.start.callbacks', 'hands output to callbacks as it comes, and then the exit', async (place) => {
    const said = { stdout: '', stderr: '' };
    const hear = (name: keyof typeof said) => (bytes: Uint8Array) => void (said[name] += Buffer.from(bytes).toString());
    const request = { taskId: place.task, command: shell('seq 1 50000; echo error >&2; exit 3') };
    const running = await place.agent.execs.start(request, { onStdout: hear('stdout'), onStderr: hear('stderr') });
    expect(await running.exit).toMatchObject({ ...ended(3), notes: [] });
    expect([said.stdout.length, said.stdout.slice(-7), said.stderr]).toEqual([288_894, '\n50000\n', 'error\n']);
  });

  suite.test('execs.start.binary', 'leaves binary output as it is, whatever stands in it by chance', async (place) => {
    const file = `${await place.directory()}/binary`;
    const bytes = binary();
    await place.agent.files.write({ task: place.task, path: file, bytes });
    const running = await place.agent.execs.start({ taskId: place.task, command: ['cat', file] });
    expect(Buffer.compare(await bytesOf(running.stdout), bytes)).toBe(0);
    expect(await running.exit).toMatchObject({ ...ended(0), redactions: 0, notes: [] });
  });

  suite.placeTest('execs.start.ignore', 'ends when one stream, or both, were given up', async (place) => {
    const both = await place.agent.execs.start({ taskId: place.task, command: shell('head -c 3000000 /dev/zero') });
    both.ignore();
    expect((await both.exit).stdout.bytes).toBe(3_000_000);
    const one = await place.agent.execs.start({ taskId: place.task, command: shell('echo out; echo error >&2') });
    one.ignore('stdout');
    expect(await textOf(one.stderr)).toBe('error\n');
    expect((await one.exit).stdout.bytes).toBe(4);
  });

  suite.placeTest('execs.start.seen', 'says where it runs, and how its sandbox came to it', async (place) => {
    const running = await place.agent.execs.start({ taskId: place.task, command: ['true'] });
    running.ignore();
    const { id } = await place.agent.sandboxes.get(place.task);
    expect(running.where).toMatchObject({ backend: place.subject.backend, taskId: place.task, sandboxId: id });
    expect(running.id).toMatch(/^exec_/);
    await running.exit;
  });

  suite.test('execs.start.new-task', 'makes the sandbox of a task that has none', async (place) => {
    const taskId = place.name();
    const running = await place.agent.execs.start({ taskId, command: ['echo', 'there'] });
    expect([await textOf(running.stdout), running.where.taskId]).toEqual(['there\n', taskId]);
    expect((await place.agent.sandboxes.get(taskId)).id).toBe(running.where.sandboxId);
  });

  suite.test('execs.start.same-id', 'joins a second start under its id, and runs nothing twice', async (place) => {
    const file = `${await place.directory()}/count`;
    const command = shell(`echo x >>${file}; echo one; sleep 0.5; echo two`);
    const request = { taskId: place.task, execId: `exec_${place.name('joined')}`, command };
    const [first, second] = [await place.agent.execs.start(request), await place.other.execs.start(request)];
    expect(await Promise.all([textOf(first.stdout), textOf(second.stdout)])).toEqual(['one\ntwo\n', 'one\ntwo\n']);
    expect([await first.exit, await second.exit]).toMatchObject([ended(0), ended(0)]);
    expect((await place.sh(`cat ${file}`)).stdout.text).toBe('x\n');
  });
}

function stdinCases(suite: Suite): void {
  suite.placeTest('execs.start.stdin', 'answers line by line, and sees end of file at its end', async (place) => {
    const text = 'while read -r line; do echo "got $line"; done; echo bye';
    const running = await place.agent.execs.start({ taskId: place.task, command: shell(text), stdin: true });
    const stdout = new Reading(running.stdout);
    for (const word of ['one', 'two', 'three']) {
      await running.stdin?.write(Buffer.from(`${word}\n`));
      expect(await stdout.until('\n')).toBe(`got ${word}\n`);
    }
    await running.stdin?.end();
    expect([(await stdout.rest()).toString(), (await running.exit).exitCode]).toEqual(['bye\n', 0]);
  });

  suite.test('execs.start.stdin-absent', 'has no input where none was asked for', async (place) => {
    const running = await place.agent.execs.start({ taskId: place.task, command: ['cat'] });
    expect([running.stdin, await textOf(running.stdout)]).toEqual([null, '']);
    expect((await running.exit).exitCode).toBe(0);
  });

  suite.placeTest(
    'execs.start.terminal',
    'runs a command on a terminal of the size that was asked for',
    async (place) => {
      const tty = { columns: 91, rows: 17 };
      // An engine may set the size when the command has begun.
      const sized = 'test -t 0 && test -t 1 && until [ "$(stty size)" != "0 0" ]; do sleep 0.05; done && stty size';
      const command = shell(`${sized}; read -r word; echo "got $word"`);
      const starting = place.agent.execs.start({ taskId: place.task, command, stdin: true, tty });
      if (!place.subject.hasTerminals) return await refused(starting, 'not_supported');
      const running = await starting;
      const stdout = new Reading(running.stdout);
      expect(await stdout.until('\n')).toBe('17 91\r\n');
      await running.stdin?.write(Buffer.from('hello\n'));
      expect(await stdout.until('got hello')).toContain('got hello');
      await stdout.rest();
      expect((await running.exit).exitCode).toBe(0);
    },
  );

  suite.placeTest('execs.start.resize', 'gives a terminal another size', async (place) => {
    const tty = { columns: 80, rows: 24 };
    const command = shell('echo up; read -r _; stty size');
    const starting = place.agent.execs.start({ taskId: place.task, command, stdin: true, tty });
    if (!place.subject.hasTerminals) return await refused(starting, 'not_supported');
    const running = await starting;
    const stdout = new Reading(running.stdout);
    await stdout.until('up');
    await running.resize?.(101, 33);
    await sleep(200);
    await running.stdin?.write(Buffer.from('\n'));
    expect((await stdout.rest()).toString()).toContain('33 101');
    expect((await running.exit).exitCode).toBe(0);
  });
}

function endCases(suite: Suite): void {
  suite.placeTest('execs.start.cancel', 'is killed with all that it started when it is canceled', async (place) => {
    const command = shell('sleep 300 & echo $!; wait');
    const running = await place.agent.execs.start({ taskId: place.task, command });
    const pid = (await new Reading(running.stdout).until('\n')).trim();
    running.ignore();
    await running.cancel();
    expect(await running.exit).toMatchObject({ reason: 'canceled', survivors: [] });
    expect(await place.isAlive(pid)).toBe(false);
  });

  suite.test('execs.start.abort', 'is killed when the signal of its start fires', async (place) => {
    const abort = new AbortController();
    const request = { taskId: place.task, command: shell('echo up; sleep 300') };
    const running = await place.agent.execs.start(request, { signal: abort.signal });
    await new Reading(running.stdout).until('up');
    running.ignore();
    abort.abort();
    expect((await running.exit).reason).toBe('canceled');
  });

  suite.placeTest('execs.start.timeout', 'is killed at its deadline, and its streams end', async (place) => {
    const request = { taskId: place.task, command: shell('echo begun; sleep 60'), timeoutMs: 600 };
    const running = await place.agent.execs.start(request);
    expect([await textOf(running.stdout), (await running.exit).reason]).toEqual(['begun\n', 'timed-out']);
  });

  suite.test('execs.start.refused', 'is refused before anything runs, as a run is', async (place) => {
    const request = { taskId: place.task, command: ['true'] as [string], environment: {} };
    await refused(place.agent.execs.start(request), 'invalid_argument');
    const taskId = await place.fresh({}, 'asked');
    await refused(place.agent.execs.start({ taskId, command: ['mkfifo', 'pipe'] }), 'policy_denied');
  });

  suite.placeTest('execs.start.many-lines', 'loses no line of many small writes', async (place) => {
    const text = 'i=1; while [ $i -le 2000 ]; do echo "line $i"; i=$((i+1)); done';
    const running = await place.agent.execs.start({ taskId: place.task, command: shell(text) });
    expect(await textOf(running.stdout)).toBe(numbered(2000));
    expect((await running.exit).exitCode).toBe(0);
  });
}

/** Random bytes in which `pw=` stands at many places, with what may look like a value. */
function binary(): Buffer {
  const bytes = randomBytes(1_000_000);
  for (let at = 1000; at < bytes.length; at += 10_000) bytes.write('PW=abc ', at);
  return bytes;
}
