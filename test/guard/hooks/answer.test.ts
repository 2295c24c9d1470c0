import { describe, expect, it } from 'vitest';
import { answerOf } from '../../../src/guard/hooks/answer.ts';

const ended = (stdout: string, exitCode = 0, stderr = '') => answerOf({ kind: 'exited', exitCode, stdout, stderr });

describe('what a hook answers', () => {
  it.each(['', ' \n', '{}', '{"action":"allow"}', '{"decision":"approve"}', '{"continue":true}'])(
    '%j lets it pass',
    (stdout) => expect(ended(stdout)).toEqual({ kind: 'pass' }),
  );

  it.each([
    [
      '{"action": "block", "message": "kubectl delete is not allowed in this project"}',
      'kubectl delete is not allowed in this project',
    ],
    ['{"decision": "block", "reason": "no"}', 'no'],
    ['{"action": "block"}', 'it gave no reason'],
    ['{"action": "block", "message": 7}', 'it gave no reason'],
  ])('%j blocks', (stdout, message) => expect(ended(stdout)).toEqual({ kind: 'block', message }));

  it('exit code 2 blocks, with the words of standard error, whatever was written', () => {
    expect(ended('{"action":"allow"}', 2, `never${'!'.repeat(1000)}`)).toEqual({
      kind: 'block',
      message: `never${'!'.repeat(395)}`,
    });
  });

  it('modify gives the new input, by either name', () => {
    const input = { command: 'ls' };
    expect(ended(JSON.stringify({ action: 'modify', tool_input: input }))).toEqual({ kind: 'modify', input });
    expect(ended(JSON.stringify({ action: 'modify', args: input }))).toEqual({ kind: 'modify', input });
  });

  it.each([
    'hello',
    '[]',
    '"block"',
    'null',
    '{"action":"modify"}',
    '{"action":"blok"}',
    '{"action":null}',
    '{"action":"bl',
  ])('%j is a failure, and no consent', (stdout) => expect(ended(stdout).kind).toBe('failed'));

  it('another exit code is a failure', () => expect(ended('{"action":"allow"}', 1).kind).toBe('failed'));
});
