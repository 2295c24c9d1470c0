/** The question as a person at a terminal reads it. */
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { approverOn } from '../../src/cli/approver.ts';
import type { Question } from '../../src/guard/types.ts';

const question: Question = {
  id: 'apr_000000000000000000000000',
  taskId: 'build',
  backend: 'local',
  reach: 'host',
  cwd: '/srv',
  command: ['write_file', 'a'],
  title: 'ASKED BY RULE r',
  rule: 'r',
  display: 'write_file a',
  stdin: false,
  input: null,
  variables: ['A', 'B'],
  warnings: [],
  diff: '@@ -1,1 +1,1 @@\n-\told\n+new\u001b[2J',
  tier: 'rule',
  findings: [{ rule: 'r', description: 'a rule asks', start: 0, end: 0 }],
  choices: ['once', 'deny'],
  covers: [],
  proposal: [],
  expiresAt: 0,
};

async function promptOf(asked: Question): Promise<string> {
  const terminal = (): PassThrough & { isTTY: boolean } => Object.assign(new PassThrough(), { isTTY: true });
  const [stdin, stderr] = [terminal(), terminal()];
  const approver = approverOn({ stdin, stderr }, () => undefined);
  stdin.end('o\n');
  const settled = Promise.resolve({ outcome: 'once', elsewhere: null });
  expect(await approver?.(asked, { signal: new AbortController().signal, settled })).toBe('o');
  return String(stderr.read() ?? '');
}

it('a write shows what it changes, and what would move the cursor is spelled out', async () => {
  expect(await promptOf(question)).toBe(
    [
      'ASKED BY RULE r: a rule asks (r) (on local, in /srv, sets A, B)',
      ...['  write_file a', 'changes:', '  @@ -1,1 +1,1 @@', '  -\told', '  +new\\x1b[2J'],
      ...['[o]nce | [d]eny', 'Choice [o/D]: '],
    ].join('\n'),
  );
  expect(await promptOf({ ...question, diff: null })).not.toContain('changes:');
});

it('a command shows its input, or says that it comes later', async () => {
  const given = { ...question, diff: null, stdin: true, variables: [] };
  const shown = await promptOf({ ...given, input: 'rm -rf x\u001b[2J\nls' });
  expect(shown).toContain('(on local, in /srv, reads the input below)');
  expect(shown).toContain('input:\n  rm -rf x\\x1b[2J\n  ls\n');
  expect(await promptOf(given)).toContain('reads input that comes later and is not judged');
});
