/** Streams that are not read: they hold no command up, the exit says so, and a reader that comes later gets all of it. */
import { buffer, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPlace, type OpenPlace } from './open-place.ts';

const large = 3_000_000;
const print = (bytes: number, to = ''): readonly [string, ...string[]] => [
  ...(['sh', '-c'] as const),
  `head -c ${bytes} /dev/zero | tr '\\0' x ${to}`,
];
const unread = (name: string) => expect.stringMatching(new RegExp(`^${name} was not read: `));

let at: OpenPlace;
beforeAll(async () => {
  at = await openPlace('exec: {spill_bytes: 4194304}');
}, 60_000);
afterAll(async () => await at[Symbol.asyncDispose]());

describe('a command with a stream that is not read', () => {
  it('ends when only its exit is waited for, and says which streams were not read', async () => {
    const command = ['sh', '-c', `head -c ${large} /dev/zero | tee /dev/stderr`] as const;
    const { exit } = await at.caisson.exec({ taskId: 'a', command, timeoutMs: 60_000 });
    const { reason, exitCode, stdout, stderr, notes } = await exit;
    expect([reason, exitCode, stdout.bytes, stderr.bytes]).toEqual(['exited', 0, large, large]);
    expect(notes).toContainEqual(unread('stdout'));
    expect(notes).toContainEqual(unread('stderr'));
  });

  it('gives all of the one that is read', async () => {
    const running = await at.caisson.exec({ taskId: 'a', command: print(large, '>&2; echo done'), timeoutMs: 60_000 });
    expect(await text(running.stdout)).toBe('done\n');
    const { reason, notes, stderr } = await running.exit;
    expect([reason, stderr.truncated]).toEqual(['exited', false]);
    expect(notes).toEqual([unread('stderr')]);
  });

  it('gives a late reader all of it, from the record', async () => {
    const running = await at.caisson.exec({ taskId: 'a', command: ['seq', '1', '400000'] });
    expect((await running.exit).exitCode).toBe(0);
    const all = await text(running.stdout);
    expect([all.length, all.slice(0, 6), all.slice(-8)]).toEqual([2_688_895, '1\n2\n3\n', '\n400000\n']);
  });

  it('gives a reader that begins while it runs every byte once, and follows it to its end', async () => {
    const running = await at.caisson.exec({
      taskId: 'a',
      command: ['sh', '-c', 'seq 1 100000; sleep 1; seq 100001 200000'],
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const lines = (await text(running.stdout)).trim().split('\n');
    expect(lines.length).toBe(200_000);
    expect(lines.findIndex((line, index) => line !== String(index + 1))).toBe(-1);
    expect((await running.exit).notes).toEqual([]);
  });

  it('says what was lost where the record has no more room, and what comes is a true beginning', async () => {
    const running = await at.caisson.exec({ taskId: 'a', command: print(8_000_000), timeoutMs: 60_000 });
    const { stdout, notes, reason } = await running.exit;
    expect([reason, stdout]).toEqual(['exited', { bytes: 8_000_000, truncated: true, complete: true }]);
    expect(notes).toEqual([unread('stdout'), expect.stringMatching(/^\d+ bytes of stdout are lost/)]);
    const kept = await buffer(running.stdout);
    expect(kept.length).toBeGreaterThan(4_000_000);
    expect(notes[1]).toContain(String(8_000_000 - kept.length));
  });

  it('is ended by its output limit and its deadline as any other', async () => {
    const limited = await at.caisson.exec({ taskId: 'a', command: print(large), outputLimitBytes: 1_000_000 });
    expect((await limited.exit).reason).toBe('output-limit');
    const slow = await at.caisson.exec({ taskId: 'a', command: print(large, '; sleep 60'), timeoutMs: 500 });
    expect((await slow.exit).reason).toBe('timed-out');
  });

  it('gives up what is ignored, without a note', async () => {
    const running = await at.caisson.exec({ taskId: 'a', command: print(large, '>&2; echo done') });
    running.ignore('stderr');
    expect(await text(running.stdout)).toBe('done\n');
    expect((await running.exit).notes).toEqual([]);
    expect(await text(running.stderr)).toBe('');
  });

  it('is read so by its repeated id too', async () => {
    const request = { taskId: 'a', execId: 'exec_again', command: print(large, '>&2; echo done') };
    await (
      await at.caisson.exec(request)
    ).exit;
    const again = await at.caisson.exec(request);
    expect(await text(again.stdout)).toBe('done\n');
    expect((await again.exit).exitCode).toBe(0);
    expect((await text(again.stderr)).length).toBe(large);
  });
});

describe('onStdout and onStderr', () => {
  it.each(['run', 'exec'] as const)(
    'of %s get each piece as it comes, and the exit comes after the last',
    async (verb) => {
      const pieces: string[] = [];
      const times: number[] = [];
      const command = ['sh', '-c', 'echo one; echo error >&2; sleep 0.5; seq 1 50000'] as const;
      const started = await at.caisson[verb](
        { taskId: 'a', command },
        {
          onStdout: (bytes) => {
            pieces.push(Buffer.from(bytes).toString());
            times.push(performance.now());
          },
          onStderr: async (bytes) => {
            await new Promise((resolve) => setTimeout(resolve, 50));
            pieces.push(`<${Buffer.from(bytes).toString()}>`);
          },
        },
      );
      const { exitCode, notes } = await started.exit;
      expect([exitCode, notes]).toEqual([0, []]);
      const said = pieces.join('').replace('<error\n>', '');
      expect([said.length, said.slice(0, 8), said.slice(-7)]).toEqual([288_898, 'one\n1\n2\n', '\n50000\n']);
      expect(pieces).toContain('<error\n>');
      expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBeGreaterThan(300);
    },
  );

  it('of run leave the result as it is', async () => {
    const heard: number[] = [];
    const { stdout } = await at.caisson.run(
      { taskId: 'a', command: ['seq', '1', '3'] },
      { onStdout: (bytes) => heard.push(bytes.length) },
    );
    expect([stdout.text, heard.reduce((sum, each) => sum + each, 0)]).toEqual(['1\n2\n3\n', 6]);
  });

  it.each(['run', 'exec'] as const)('of %s that throw are not called again, and the exit says so', async (verb) => {
    let calls = 0;
    const onStdout = (): never => {
      calls += 1;
      throw new Error('no room here');
    };
    const { exit } = await at.caisson[verb]({ taskId: 'a', command: print(large) }, { onStdout });
    const { reason, notes } = await exit;
    expect([calls, reason]).toEqual([1, 'exited']);
    expect(notes).toEqual(['onStdout failed and was not called again: no room here']);
  });

  it('of a session get its output', async () => {
    const heard: string[] = [];
    const onStdout = (bytes: Uint8Array): void => void heard.push(Buffer.from(bytes).toString());
    const result = await at.caisson.sessions.run({ taskId: 'a', name: 's', text: 'echo hi' }, { onStdout });
    const running = await at.caisson.sessions.exec({ taskId: 'a', name: 's', text: 'echo ho' }, { onStdout });
    await running.exit;
    expect([result.stdout.text, heard.join('')]).toEqual(['hi\n', 'hi\nho\n']);
  });
});
