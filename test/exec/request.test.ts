import { describe, expect, it } from 'vitest';
import { isCode } from '../../src/errors.ts';
import { checkRequest } from '../../src/exec/request.ts';
import type { ExecRequest } from '../../src/exec/types.ts';
import { requestFor } from './requests.ts';

function refusal(changes: Partial<ExecRequest>): string | null {
  try {
    checkRequest(requestFor(['true'], changes));
    return null;
  } catch (error) {
    if (!isCode(error, 'invalid_argument')) throw error;
    return error.message;
  }
}

// What an untyped caller may send.
const empty: Partial<ExecRequest> = JSON.parse('{"command":[]}');

describe('a request is refused before anything starts when', () => {
  it.each<[string, Partial<ExecRequest>]>([
    ['it has no command', empty],
    ['its program has no name', { command: [''] }],
    ['an argument holds a NUL byte', { command: ['echo', 'a\0b'] }],
    ['an argument is longer than Linux takes', { command: ['echo', 'a'.repeat(131_072)] }],
    ['all arguments together are', { command: ['echo', ...Array.from({ length: 20 }, () => 'a'.repeat(120_000))] }],
    ['its id has another form', { execId: 'run_1' }],
    ['its id could leave a directory', { execId: 'exec_../../x' }],
    ['its id is too long', { execId: `exec_${'a'.repeat(65)}` }],
    ['its directory is relative', { cwd: 'tmp' }],
    ['its directory holds a NUL byte', { cwd: '/tmp\0/x' }],
    ['its directory is a descriptor', { cwd: '/proc/self/fd/8' }],
    ['its directory leads there by dots', { cwd: '/tmp/../proc/1/root' }],
    ['its directory leads there by slashes', { cwd: '//sys///kernel' }],
    ['its directory is /dev', { cwd: '/dev/' }],
    ['its user has another form', { user: 'app user' }],
    ['a variable has a name that no shell knows', { env: { 'a.b': 'x' } }],
    ['a value holds a NUL byte', { env: { A: 'x\0y' } }],
    ['its timeout is nought', { timeoutMs: 0 }],
    ['its timeout is no number', { timeoutMs: Number.NaN }],
    ['its timeout is longer than a timer', { timeoutMs: 2 ** 31 }],
    ['its output limit is nought', { outputLimitBytes: 0 }],
    ['its terminal has no rows', { tty: { columns: 80, rows: 0 } }],
  ])('%s', (_why, changes) => expect(refusal(changes)).toEqual(expect.any(String)));

  it('never tells a value of the environment', () => {
    expect(refusal({ env: { TOKEN: `hush\0${'s'.repeat(10)}` } })).not.toContain('hush');
    expect(refusal({ env: { TOKEN: 'hush'.repeat(40_000) } })).not.toContain('hush');
  });
});

it('a request at the limits is let through', () => {
  const command: [string, ...string[]] = ['echo', 'a'.repeat(131_071)];
  expect(
    refusal({ command, cwd: '/process/x', execId: `exec_${'Z'.repeat(64)}`, timeoutMs: 2 ** 31 - 1, env: { _A1: '' } }),
  ).toBeNull();
});
