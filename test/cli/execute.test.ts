import { describe, expect, it } from 'vitest';
import type { ExecEvent, Exit } from '../../src/service/api.ts';
import { explain } from '../../src/cli/explain.ts';
import { cli, Screen } from './cli.ts';
import { exitOf } from './double-exec.ts';

const sandboxes = [{ taskId: 'build', createdAt: '2026-01-01T00:00:00Z' }];

describe('run and exec', () => {
  it('pass both streams through untouched, apart, and exit as the command does', async () => {
    const { exitCode, bytes, stderr, double } = await cli([
      'run',
      '-q',
      '--',
      'sh',
      '-c',
      "printf 'a\\033[2J\\377\\n'; printf err >&2; exit 7",
    ]);
    expect([exitCode, bytes.toString('latin1'), stderr]).toEqual([7, 'a\u001b[2J\u00ff\n', 'err']);
    expect(double.calls).toEqual([
      'create task1',
      expect.stringMatching(/^start sh/),
      'exit exited',
      'remove task1',
      'close',
    ]);
  });

  it('pass large output with nothing lost', async () => {
    const { bytes } = await cli(['run', '-q', '--', 'head', '-c', '8000000', '/dev/zero']);
    expect(bytes.length).toBe(8_000_000);
  });

  it('pass standard input with its end, only when asked', async () => {
    expect((await cli(['run', '-q', '-i', '--', 'cat'], { input: 'hello' })).stdout).toBe('hello');
    expect((await cli(['run', '-q', '--', 'cat'], { input: 'hello' })).stdout).toBe('');
    expect((await cli(['run', '-q', '-i', '--', 'true'], { input: 'x'.repeat(1_000_000) })).exitCode).toBe(0);
  });

  it('use the sandbox that is there with exec, and make none', async () => {
    const { exitCode, double } = await cli(['exec', 'build', '--', 'true'], { sandboxes });
    expect([exitCode, double.requests.at(-1)]).toEqual([0, { taskId: 'build', existing: true, command: ['true'] }]);
    expect((await cli(['exec', 'gone', '--', 'true'])).exitCode).toBe(125);
  });

  it('pass the user of a command on, and only of one whose end is waited for', async () => {
    for (const form of [['-u', 'app'], ['--user', 'app'], ['--user=app']])
      expect((await cli(['exec', 'build', ...form, '--', 'id'], { sandboxes })).double.requests.at(-1)).toEqual({
        taskId: 'build',
        existing: true,
        command: ['id'],
        user: 'app',
      });
    expect((await cli(['run', '-u', '1:1', '--', 'id'])).double.requests.at(-1)).toMatchObject({ user: '1:1' });
    const program = await cli(['run', '-u', 'app', '--code', 'bash', '--', '-'], { input: 'id' });
    expect(program.double.requests.at(-1)).toMatchObject({ user: 'app' });
    const refused = await cli(['exec', 'build', '-u', 'app', '--detach', '--', 'id'], { sandboxes });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('--user does not go with --detach');
  });

  it('remove the sandbox of a task afterwards with --rm only', async () => {
    expect((await cli(['run', '--rm', '--task', 'once', '--', 'false'])).double.calls).toContain('remove once');
    expect((await cli(['run', '--task', 'once', '--', 'false'])).double.calls).not.toContain('remove once');
  });

  it('tell what was asked for and is missing when the sandbox was made now, and when it was made anew', async () => {
    const missing = 'caisson: missing here: a disk limit of 1 KB (';
    const made = await cli(['run', '--task', 'new', '--', 'true']);
    expect([made.stderr.startsWith(missing), made.stderr.trimEnd().split('\n')]).toEqual([true, [expect.any(String)]]);
    expect((await cli(['exec', 'build', '--', 'true'], { sandboxes })).stderr).toBe('');
    expect((await cli(['exec', 'build', '--', 'true'], { sandboxes, recreated: true })).stderr).toContain(
      'had vanished and was made anew',
    );
  });

  it.each([['-q'], ['-o', 'json'], []])(
    'warn that files are gone when the service had ended the sandbox (%s %s)',
    async (...flags) => {
      const lostSince = '2026-01-02T03:04:05.000Z';
      const { stderr } = await cli(['exec', ...flags, 'build', '--', 'true'], { sandboxes, lostSince });
      expect(stderr).toContain(`files are those of ${lostSince}: what was written later is gone`);
      expect((await cli(['exec', ...flags, 'build', '--', 'true'], { sandboxes })).stderr).not.toContain('gone');
      expect((await cli(['start', ...flags, 'build'], { sandboxes, lostSince })).stderr).toContain(lostSince);
    },
  );

  it('print one JSON object with -o json, and still exit as the command does', async () => {
    const { exitCode, stdout, stderr } = await cli(
      ['run', '-o', 'json', '-i', '--', 'sh', '-c', 'cat; echo err >&2; exit 4'],
      { input: 'in\u009b' },
    );
    expect([exitCode, stderr, stdout.split('\n').length]).toEqual([4, '', 2]);
    expect(stdout).toContain('\\u009b');
    expect(JSON.parse(stdout)).toMatchObject({
      exit: { reason: 'exited', exitCode: 4 },
      stdout: { text: 'in\u009b' },
      stderr: { text: 'err\n' },
      where: { backend: 'docker' },
    });
  });

  it.each<[Partial<Exit>, number, string]>([
    [{ reason: 'timed-out', exitCode: null, signal: 'SIGKILL' }, 124, 'timed out after 30 s and was killed'],
    [{ reason: 'signaled', exitCode: null, signal: 'SIGSEGV' }, 139, 'ended by SIGSEGV'],
    [{ reason: 'signaled', exitCode: null, signal: 'SIGTERM', signalGuessed: true }, 143, 'to judge by its exit code'],
    [{ reason: 'out-of-memory', exitCode: 137 }, 137, 'killed for memory'],
    [{ reason: 'output-limit', exitCode: null }, 125, 'was killed: it wrote more than it may'],
    [
      { reason: 'output-limit', exitCode: null, notes: ['killed: it wrote more than 9 bytes', 'and more'] },
      125,
      'caisson: the command was killed: it wrote more than 9 bytes (and more)\n',
    ],
    [
      { reason: 'timed-out', exitCode: null, notes: ['killed: it ran longer than 30000 ms', 'and more'] },
      124,
      'caisson: the command timed out after 30 s and was killed (and more)\n',
    ],
    [
      { reason: 'lost', exitCode: null, notes: ['the engine\u001b went away'] },
      125,
      'is not known; it is not run again (the engine\\x1b went away)\ncaisson: what is recorded of it: caisson logs exec_',
    ],
    [{ reason: 'canceled', exitCode: null }, 130, 'was canceled'],
    [{ reason: 'exited', exitCode: 126 }, 126, ''],
    [{ backgroundOpen: true }, 0, 'lives on and holds its output'],
  ])('after %j exit with %i and say why', async (exit, exitCode, words) => {
    const result = await cli(['exec', 'build', '--timeout', '30s', '--', 'true'], { sandboxes, exit });
    expect(result.exitCode).toBe(exitCode);
    expect(result.stderr).toContain(words);
    if (words === '') expect(result.stderr).toBe('');
    expect((await cli(['exec', 'build', '-q', '--', 'true'], { sandboxes, exit })).stderr).toBe('');
  });

  it('list those who could not be killed, up to a bound', () => {
    const survivors = Array.from({ length: 30 }, (_, pid) => ({ pid, command: 'sleep' }));
    const lines = explain(exitOf({ reason: 'timed-out', exitCode: null, survivors }, 1500), null);
    expect(lines.slice(0, 3)).toEqual([
      'the command was killed: its time was over',
      '30 processes could not be killed:',
      '  still alive: 0 sleep',
    ]);
    expect(lines.at(-1)).toBe('  and 10 more');
  });

  it('kill at the deadline that was given, and know none with 0', async () => {
    const { exitCode, double } = await cli(['exec', 'build', '--timeout', '100ms', '--', 'sleep', '20'], { sandboxes });
    expect([exitCode, double.requests.at(-1)?.timeoutMs]).toEqual([124, 100]);
    expect(
      (await cli(['exec', 'build', '--timeout', '0', '--', 'true'], { sandboxes })).double.requests.at(-1)?.timeoutMs,
    ).toBeNull();
  });

  it('end the command quietly when its output has no reader any more', async () => {
    const { exitCode, stderr, double } = await cli(['run', '-q', '--', 'yes'], { stdout: new Closed() });
    expect([exitCode, stderr]).toEqual([141, '']);
    expect(double.calls.slice(2)).toEqual(['exit canceled', 'remove task1', 'close']);
  });

  it('need a terminal for -it', async () => {
    expect((await cli(['run', '-it', '--', 'true'])).exitCode).toBe(2);
    expect((await cli(['run', '--tty', '--json', '--', 'true'])).exitCode).toBe(2);
  });

  it('give sh its commands from standard input without a terminal', async () => {
    const { exitCode, stdout } = await cli(['sh', 'build'], { sandboxes, input: 'echo "$((20 + 3))"; exit 5' });
    expect([exitCode, stdout]).toEqual([5, '23\n']);
  });
});

describe('logs', () => {
  const event = (seq: number, what: ExecEvent['event']): ExecEvent => ({
    execId: 'exec_1',
    seq,
    at: '2026-01-02T12:00:00Z',
    event: what,
  });
  const where = {
    backend: 'docker',
    taskId: 'build',
    sandboxId: 'sbx_1',
    host: null,
    resource: null,
    recreated: false,
  };
  const events = [
    event(1, { type: 'started', command: ['sh', '-c', 'x\u001b'], cwd: '/', tty: false, where }),
    event(2, { type: 'stdout', bytes: Buffer.from([0x1b, 0x5b, 0x33, 0x31, 0x6d, 0xc3]) }),
    event(3, { type: 'stdout', bytes: Buffer.from([0xa9, 0x1b, 0x5b, 0x32, 0x4a, 0x0d, 0x0a]) }),
    event(4, { type: 'gap', stream: 'stdout', bytes: 2048 }),
    event(5, { type: 'stderr', bytes: Buffer.from('oops\n') }),
    event(6, { type: 'exit', exit: exitOf({ exitCode: 2 }, 1234) }),
  ];

  it('come as they were written into a pipe, with what happened on stderr', async () => {
    const { bytes, stderr, double } = await cli(['logs', 'build', '-f', '--after', '0'], { events });
    expect(bytes).toEqual(Buffer.from('\u001b[31mé\u001b[2J\r\n'));
    expect(stderr).toMatchInlineSnapshot(`
      "caisson: exec_1 started 2026-01-02T12:00:00Z on docker: sh -c x\\x1b
      caisson: exec_1: 2 KB of stdout are not kept
      oops
      caisson: exec_1 ended after 1.2 s with 2
      "
    `);
    expect(double.calls[0]).toBe('logs build {"follow":true,"after":0}');
  });

  it('keep only text and colours on a terminal, unless raw (OH-11)', async () => {
    expect((await cli(['logs', 'build', '-q'], { events, terminal: true })).stdout).toBe('\u001b[31mé\\x1b[2J\n');
    expect((await cli(['logs', 'build', '-q', '--raw'], { events, terminal: true })).bytes).toEqual(
      Buffer.from('\u001b[31mé\u001b[2J\r\n'),
    );
  });

  it('are one JSON object a line, with bytes as text where they are text', async () => {
    const lines = (await cli(['logs', 'build', '--json'], { events })).stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
    expect(lines).toMatchObject([
      { execId: 'exec_1', seq: 1, type: 'started', command: ['sh', '-c', 'x\u001b'] },
      { seq: 2, type: 'stdout', dataB64: 'G1szMW3D' },
      { seq: 3, type: 'stdout', dataB64: 'qRtbMkoNCg==' },
      { seq: 4, type: 'gap', bytes: 2048 },
      { seq: 5, type: 'stderr', data: 'oops\n' },
      { seq: 6, type: 'exit', exit: { exitCode: 2 } },
    ]);
  });
});

/** A pipe whose reader has gone. */
class Closed extends Screen {
  override _write(_chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
  }
}
