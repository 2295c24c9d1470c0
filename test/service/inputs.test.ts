/** SEC-F10: keys that a caller gives and that mean nothing. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caisson } from '../../src/service/caisson.ts';
import { openCaisson } from '../../src/main.ts';

describe('a key that is not known', () => {
  let caisson: Caisson;
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'caisson-inputs-'));
    const env = { PATH: process.env['PATH'], HOME: root, CAISSON_TERMINAL_BACKEND: 'local' };
    caisson = await openCaisson({ home: join(root, 'home'), env, cwd: root });
  });
  afterAll(async () => {
    await caisson.close();
    await rm(root, { recursive: true });
  });

  const command = ['true'];
  const code = { language: 'bash', text: 'true' };
  const at = { task: 'build', path: '/tmp/x' };
  it.each<[string, string, object, string]>([
    ['sandboxes.create', 'netwrok', { taskId: 'build', netwrok: 'none' }, 'did you mean network?'],
    ['run', 'netwrok', { command, netwrok: 'none' }, 'did you mean network?'],
    ['run', 'privileged', { command, privileged: true }, 'its keys are task, taskId'],
    ['run', 'hardening', { command, hardening: { readOnlyRoot: true } }, 'its keys are'],
    ['run', 'mounts', { command, mounts: [] }, 'its keys are'],
    ['run', 'timeoutms', { command, timeoutms: 5 }, 'did you mean timeoutMs?'],
    ['exec', 'tty.cols', { command, tty: { cols: 80, rows: 24 } }, 'its keys are columns, rows'],
    ['processes.start', 'environment', { taskId: 'build', command, environment: {} }, 'its keys are'],
    ['exec', 'command', { code, command }, 'its keys are'],
    ['run', 'code.lang', { code: { lang: 'bash', text: '' } }, 'did you mean code.language?'],
    ['execs.list', 'tasks', { tasks: 'build' }, 'did you mean task?'],
    ['sandboxes.list', 'stat', { stat: 'ready' }, 'did you mean state?'],
    ['sessions.run', 'cwd', { taskId: 'build', name: 'a', text: 'true', cwd: '/' }, 'its keys are'],
    ['files.read', 'lenght', { ...at, lenght: 5 }, 'did you mean length?'],
    ['files.write', 'expect', { ...at, bytes: '', expect: null }, 'did you mean expected?'],
    ['files.sync', 'overwite', { task: 'build', overwite: true }, 'did you mean overwrite?'],
    [
      'files.copyOut',
      'limits.byte',
      { task: 'build', source: '/x', target: '/y', limits: { byte: 1 } },
      'did you mean limits.bytes?',
    ],
  ])('%s refuses %s before anything happens', async (verb, key, input, remedy) => {
    const [area = '', name] = verb.split('.');
    const owner: unknown = name === undefined ? caisson : Reflect.get(caisson, area);
    if (typeof owner !== 'object' || owner === null) throw new Error(`no ${area}`);
    const act: unknown = Reflect.get(owner, name ?? area);
    if (typeof act !== 'function') throw new Error(`no ${verb}`);
    const calling = async (): Promise<unknown> => await Reflect.apply(act, owner, [input]);
    await expect(calling()).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(`"${key}"`),
      remedy: expect.stringContaining(remedy),
    });
    expect((await caisson.sandboxes.list()).items).toEqual([]);
  });

  it.each([
    ['exec', { command: 'ls -la' }, 'not a text'],
    ['run', { command: 'ls -la' }, 'not a text'],
    ['processes.start', { taskId: 'build', command: 'ls -la' }, 'not a text'],
    ['run', { command: ['sleep', 5] }, 'not something else'],
    ['run', {}, 'not something else'],
  ] as const)('%s refuses a command that is no list of words: %j', async (verb, input, message) => {
    const [area = '', name] = verb.split('.');
    const owner: unknown = name === undefined ? caisson : Reflect.get(caisson, area);
    const calling = async (): Promise<unknown> => await Reflect.apply(Object(owner)[name ?? area], owner, [input]);
    await expect(calling()).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(message),
      remedy: expect.stringContaining("['sh', '-c', text]"),
    });
    expect((await caisson.sandboxes.list()).items).toEqual([]);
  });

  it('leaves a command that comes from a parsed text as it is', async () => {
    const parsed: string[] = JSON.parse('["echo", "parsed"]');
    expect((await caisson.run({ taskId: 'parsed', command: parsed })).stdout.text).toBe('parsed\n');
    await caisson.sandboxes.remove('parsed');
  });
});
