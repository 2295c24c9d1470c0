/** Output of commands that run on, as a model reads it in turns. */
import { describe, expect, it } from 'vitest';
import type { Started } from '../../src/adapters/api.ts';
import { LiveCommand } from '../../src/adapters/openai-agents/command.ts';
import { assertFit } from '../../src/adapters/openai-agents/entries.ts';
import { cut, printed } from '../../src/adapters/openai-agents/printed.ts';
import type { Exit } from '../../src/values/exit.ts';

const summary = { bytes: 0, truncated: false, complete: true };
const exitOf = (more: Partial<Exit>): Exit => ({
  reason: 'exited',
  exitCode: 0,
  signal: null,
  signalGuessed: false,
  durationMs: 1,
  stdout: summary,
  stderr: summary,
  backgroundOpen: false,
  survivors: null,
  redactions: null,
  notes: [],
  ...more,
});

interface Fake {
  readonly running: Started;
  readonly say: (bytes: Uint8Array | string) => void;
  readonly end: (exit: Partial<Exit>) => void;
}

function fake(): Fake {
  const out = new TransformStream<Uint8Array, Uint8Array>({}, { highWaterMark: 1000 }, { highWaterMark: 1000 });
  const writer = out.writable.getWriter();
  const { promise: exit, resolve } = Promise.withResolvers<Exit>();
  const none = (async function* (): AsyncGenerator<Uint8Array> {})();
  return {
    running: {
      id: 'exec_1',
      stdin: null,
      stdout: out.readable,
      stderr: none,
      exit,
      cancel: async () => await Promise.resolve(),
    },
    say: (bytes) => void writer.write(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes),
    end: (more) => {
      void writer.close();
      resolve(exitOf(more));
    },
  };
}

describe('a command that runs on', () => {
  it('shows what came since the last look, with characters that were split', async () => {
    const { running, say, end } = fake();
    const command = new LiveCommand(running);
    const bytes = new TextEncoder().encode('世');
    say('one');
    say(bytes.subarray(0, 2));
    await command.wait(20);
    expect([command.take().output, command.exitCode]).toEqual(['one', null]);
    say(bytes.subarray(2));
    end({ exitCode: 3 });
    await command.wait(10_000);
    expect([command.take().output, command.exitCode, command.take().output]).toEqual(['世', 3, '']);
  });

  it('says why it was ended, and throws for an end that is not known', async () => {
    const late = fake();
    const command = new LiveCommand(late.running);
    late.end({ reason: 'timed-out', exitCode: 143, notes: ['killed: it ran longer than 1 s'] });
    await command.wait(10_000);
    expect([command.exitCode, command.take().output]).toEqual([124, 'caisson: killed: it ran longer than 1 s\n']);
    const lost = fake();
    const other = new LiveCommand(lost.running);
    lost.end({ reason: 'lost', exitCode: null, notes: ['the sandbox went away'] });
    await other.wait(10_000);
    expect(() => other.exitCode).toThrow(/end of the command is not known: the sandbox went away/);
  });

  it('keeps the end of what is not looked at, and counts what went', async () => {
    const { running, say, end } = fake();
    const command = new LiveCommand(running);
    for (let at = 0; at < 5; at += 1) say('x'.repeat(1024 * 1024));
    say('the end');
    end({});
    await command.wait(10_000);
    const { output } = command.take();
    const [, count = '0'] = /^\[\.\.\.(\d+) characters truncated/.exec(output) ?? [];
    const kept = output.slice(output.indexOf('\n') + 1);
    expect(output.endsWith('the end')).toBe(true);
    expect([Number(count) + kept.length, kept.length < 3 * 1024 * 1024]).toEqual([5 * 1024 * 1024 + 7, true]);
  });
});

describe('a manifest', () => {
  const manifest = {
    version: 1,
    root: '/w',
    entries: {},
    environment: {},
    users: [],
    groups: [],
    extraPathGrants: [],
    remoteMountCommandAllowlist: [],
    resolveEnvironment: async () => await Promise.resolve({}),
  };
  const directory = (name: string, child: object) => ({ d: { type: 'dir', children: { [name]: child } } });

  it('fits with files and directories', () => {
    const entries = {
      f: { type: 'file', content: 'x' },
      ...directory('g', { type: 'file', content: new Uint8Array() }),
    };
    expect(() => assertFit({ ...manifest, entries })).not.toThrow();
  });

  it.each<[string, object]>([
    ['users', { users: [{ name: 'u' }] }],
    ['a path of the host', { extraPathGrants: [{ path: '/a', hostPath: '/b', readOnly: true }] }],
    ['a file of the host, below a directory', { entries: directory('f', { type: 'local_file', src: '/etc/passwd' }) }],
    ['a repository', { entries: { r: { type: 'git_repo', repo: 'a/b' } } }],
    ['permissions', { entries: { f: { type: 'file', content: 'x', permissions: { owner: 7 } } } }],
  ])('is refused whole for %s', (_, more) => {
    expect(() => assertFit({ ...manifest, ...more })).toThrow(/does not take/);
  });
});

describe('a result', () => {
  it('names the exit code, or the number of a command that runs', () => {
    const result = { output: 'o', stdout: 'o', stderr: '', wallTimeSeconds: 1.5 };
    expect(printed({ ...result, exitCode: 3 })).toBe(
      'Wall time: 1.5000 seconds\nProcess exited with code 3\nOutput:\no',
    );
    expect(printed({ ...result, sessionId: 7 })).toContain('Process running with session ID 7');
  });

  it('is cut in its middle at characters', () => {
    expect(cut('short', 10)).toEqual({ text: 'short' });
    expect(cut('short', undefined)).toEqual({ text: 'short' });
    const { text, tokens } = cut('世'.repeat(100), 5);
    expect([text, tokens]).toEqual(['世世世...70 tokens truncated...世世世', 75]);
  });
});
