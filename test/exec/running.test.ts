import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { CaissonError } from '../../src/errors.ts';
import { collect } from '../../src/exec/collect.ts';
import { shellCode } from '../../src/values/exit.ts';
import { startExec } from '../../src/exec/start.ts';
import { bare, requestFor, where } from './requests.ts';
import { gone, MemoryRecorder, scripted } from './running.ts';
import { ScriptedProcess, scriptedSandbox } from './scripted.ts';

describe('an exec settles', () => {
  it('at once when its process and its streams have ended', async () => {
    const { process, execution } = await scripted();
    process.stdout.write('out');
    process.stderr.write('err');
    process.endStreams();
    process.exit({ exitCode: 7 });
    const from = performance.now();
    const { exit, stdout, stderr } = await collect(execution, { keepBytes: 100 });
    expect(performance.now() - from).toBeLessThan(200);
    expect(exit).toMatchObject({
      reason: 'exited',
      exitCode: 7,
      signal: null,
      backgroundOpen: false,
      survivors: null,
      notes: [],
    });
    expect([stdout.text, stderr.text]).toEqual(['out', 'err']);
  });

  it('soon when a child holds a stream, with what came until then (RL-11)', async () => {
    const { process, execution } = await scripted();
    process.stdout.write('done');
    process.stderr.end();
    process.exit();
    process.prove({ is: 'held', pids: [42] });
    setTimeout(() => process.stdout.write(' late'), 100);
    const { exit, stdout } = await collect(execution, { keepBytes: 100 });
    expect(exit).toMatchObject({ reason: 'exited', backgroundOpen: true });
    expect(stdout.text).toBe('done late');
    expect(process.released).toBe(true);
    process.stdout.write('too late');
    await sleep(20);
    expect(exit.stdout.bytes).toBe(9);
    expect(execution.stdout.readableEnded).toBe(true);
  });

  it('after a second when a child writes without end', async () => {
    const { process, execution } = await scripted();
    const chatter = setInterval(() => process.stdout.write('.'), 20);
    const from = performance.now();
    process.exit();
    process.prove({ is: 'held', pids: [42] });
    const { exit } = await collect(execution, { keepBytes: 100 });
    clearInterval(chatter);
    expect(exit.backgroundOpen).toBe(true);
    expect(performance.now() - from).toBeGreaterThan(900);
    expect(performance.now() - from).toBeLessThan(3000);
  });

  it('without a reader, and what is on its way is still there to be read', async () => {
    const { process, execution } = await scripted();
    const megabyte = Buffer.alloc(1024 * 1024, 'x');
    process.stdout.write(megabyte);
    process.exit();
    process.endStreams();
    const exit = await execution.exit;
    expect(exit).toMatchObject({
      reason: 'exited',
      stdout: { bytes: megabyte.length, truncated: false },
      backgroundOpen: false,
    });
    let read = 0;
    for await (const chunk of execution.stdout) read += Buffer.from(chunk).length;
    expect(read).toBe(megabyte.length);
  });

  it('with bounded memory without a reader of a child that floods', async () => {
    const { process, execution } = await scripted();
    process.exit();
    process.prove({ is: 'held', pids: [42] });
    const chunk = Buffer.alloc(1024 * 1024);
    const flood = setInterval(() => process.stdout.write(chunk), 10);
    const exit = await execution.exit;
    clearInterval(flood);
    expect(exit.stdout.truncated).toBe(true);
    expect(execution.stdout.readableLength).toBeLessThan(6 * 1024 * 1024);
  });

  it('as lost when its end cannot be known, with the output so far', async () => {
    const { process, execution } = await scripted();
    process.stdout.write('so far');
    process.lose(new CaissonError('unavailable', 'the connection broke'));
    const { exit, stdout } = await collect(execution, { keepBytes: 100 });
    expect(exit).toMatchObject({ reason: 'lost', exitCode: null, signal: null });
    expect(exit.notes.join()).toContain('the connection broke');
    expect(stdout.text).toBe('so far');
    expect(shellCode(exit)).toBe(125);
  });

  it('with a note when a stream breaks, and flags what is missing (FR-09)', async () => {
    const { process, execution } = await scripted();
    process.stdout.write('half');
    await sleep(10);
    process.stdout.destroy(new Error('reset by peer'));
    process.stderr.end();
    process.exit();
    const { exit, stdout } = await collect(execution, { keepBytes: 100 });
    expect(exit.stdout).toEqual({ bytes: 4, truncated: true, complete: false });
    expect(exit.notes.join()).toContain('reset by peer');
    expect(stdout.text).toBe('half');
  });
});

describe('the reason is', () => {
  it('the first that applied', async () => {
    const { process, execution } = await scripted({ timeoutMs: 20 });
    await sleep(60);
    void execution.cancel();
    process.exit({ exitCode: null, signal: 'SIGKILL' });
    process.endStreams();
    const exit = await execution.exit;
    expect(exit).toMatchObject({ reason: 'timed-out', exitCode: 137, signal: 'SIGKILL', signalGuessed: false });
    expect(exit.notes[0]).toContain('longer than 20 ms');
    expect(shellCode(exit)).toBe(124);
  });

  it('that of the kill also where the command ended by itself meanwhile, which the exit says too (R11)', async () => {
    const { process, execution } = await scripted({ timeoutMs: 20 });
    await sleep(60);
    process.exit({ exitCode: 0 });
    process.endStreams();
    expect(await execution.exit).toMatchObject({
      reason: 'timed-out',
      exitCode: 0,
      notes: expect.arrayContaining([
        'killed: it ran longer than 20 ms',
        'it ended by itself all the same, with exit code 0',
      ]),
    });
  });

  it('exited when cancel comes after the end', async () => {
    const { process, execution } = await scripted();
    process.exit();
    await sleep(10);
    await execution.cancel();
    expect(await execution.exit).toMatchObject({ reason: 'exited', survivors: null });
    expect(process.signals).toEqual([]);
  });

  it('canceled when the signal fires after the start', async () => {
    const abort = new AbortController();
    const { process, execution } = await scripted({}, { ...bare, signal: abort.signal });
    abort.abort();
    await sleep(10);
    process.exit({ exitCode: 143 });
    process.endStreams();
    expect(await execution.exit).toMatchObject({
      reason: 'canceled',
      exitCode: 143,
      signal: 'SIGTERM',
      signalGuessed: true,
    });
  });

  it('output-limit, with the output up to the limit and not a byte more', async () => {
    const { process, execution } = await scripted({ outputLimitBytes: 10 });
    process.stdout.write('12345');
    await sleep(10);
    process.stderr.write('67890');
    await sleep(10);
    process.stdout.write('abc');
    await sleep(10);
    process.exit({ exitCode: null, signal: 'SIGKILL' });
    process.endStreams();
    const { exit, stdout, stderr } = await collect(execution, { keepBytes: 100 });
    expect(exit).toMatchObject({
      reason: 'output-limit',
      stdout: { bytes: 8, truncated: true },
      stderr: { bytes: 5, truncated: false },
    });
    expect(stdout.text + stderr.text).toBe('1234567890');
  });

  it.each([
    [{ exitCode: 137, outOfMemory: true }, 'out-of-memory'],
    [{ exitCode: 2, outOfMemory: true }, 'out-of-memory'],
    [{ exitCode: null, signal: 'SIGKILL', outOfMemory: true }, 'out-of-memory'],
    [{ exitCode: 0, outOfMemory: true }, 'exited'],
    [{ exitCode: 137 }, 'exited'],
    [{ exitCode: null, signal: 'SIGSEGV' }, 'signaled'],
  ])('for %j: %s', async (end, reason) => {
    const { process, execution } = await scripted();
    process.endStreams();
    process.exit(end);
    const exit = await execution.exit;
    expect(exit.reason).toBe(reason);
    expect(exit.notes.length > 0).toBe('outOfMemory' in end);
    if (end.exitCode === 137) expect(exit).toMatchObject({ exitCode: 137, signal: 'SIGKILL', signalGuessed: true });
    // A death by a signal has one code, whether the place reports the signal or the code.
    if ('signal' in end) expect(exit).toMatchObject({ exitCode: shellCode(exit), signalGuessed: false });
  });
});

describe('a program that is not there', () => {
  it.each([
    [null, 'stderr', '\n'],
    [{ columns: 80, rows: 24 }, 'stdout', '\r\n'],
  ] as const)('is named where its reader looks (terminal %j: %s)', async (tty, name, lineEnd) => {
    const process = Object.assign(new ScriptedProcess(), { resize: async () => undefined });
    const sandbox = scriptedSandbox(process, gone, { pty: { exec: async () => process } });
    const execution = await startExec(sandbox, requestFor(['nosuch'], { tty }), bare);
    process.endStreams();
    await sleep(10);
    process.exit({ exitCode: 127, notStarted: 'not-found' });
    const { exit, ...streams } = await collect(execution, { keepBytes: 100 });
    const said = streams[name];
    expect(said.text).toMatch(/^caisson: the program \S+ was not found\r?\n$/);
    expect(said.text.endsWith(lineEnd)).toBe(true);
    expect(exit[name]).toEqual({ bytes: said.bytes, truncated: false, complete: true });
    expect(streams[name === 'stderr' ? 'stdout' : 'stderr'].text).toBe('');
  });
});

describe('a start', () => {
  const failing = (error: CaissonError) =>
    scriptedSandbox(new ScriptedProcess(), error, { exec: async () => await Promise.reject(error) });

  it('that is canceled before it begins asks the place for nothing', async () => {
    const sandbox = failing(gone);
    const signal = AbortSignal.abort();
    await expect(startExec(sandbox, requestFor(['true']), { ...bare, signal })).rejects.toMatchObject({
      code: 'canceled',
    });
  });

  it('that hangs is called off at the deadline', async () => {
    const sandbox = scriptedSandbox(new ScriptedProcess(), gone, {
      exec: (_command, { signal }) =>
        new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(new CaissonError('canceled', 'canceled'))),
        ),
    });
    await expect(startExec(sandbox, requestFor(['true'], { timeoutMs: 20 }), bare)).rejects.toMatchObject({
      code: 'timed_out',
    });
  });

  it('on a terminal is refused where it is absent', async () => {
    const request = requestFor(['true'], { tty: { columns: 80, rows: 24 } });
    await expect(startExec(failing(gone), request, bare)).rejects.toMatchObject({ code: 'not_supported' });
  });

  it('that certainly did not happen leaves the record open for another try', async () => {
    const recorder = new MemoryRecorder();
    for (const code of ['not_found', 'failed_precondition'] as const) {
      await expect(
        startExec(failing(new CaissonError(code, 'x')), requestFor(['true']), { where, recorder }),
      ).rejects.toMatchObject({ code });
    }
    expect(recorder.exits).toEqual([]);
  });

  it('that may have happened ends the record as lost, so that it is never tried again (FR-06)', async () => {
    const recorder = new MemoryRecorder();
    const error = new CaissonError('unavailable', 'the answer got lost');
    await expect(startExec(failing(error), requestFor(['true']), { where, recorder })).rejects.toBe(error);
    expect(recorder.exits).toEqual(['lost']);
  });
});
