import { expect } from 'vitest';
import { sh } from '../command.ts';
import type { Suite } from '../suite.ts';

interface Line {
  readonly id: string;
  readonly text: string;
  readonly exitCode: number;
  readonly stdout?: string;
  readonly stderr?: RegExp;
}

/** Shell texts that have broken wrappers elsewhere. What is expected is what any POSIX shell does with them. */
const lines: readonly Line[] = [
  { id: 'set-e', text: 'set -e; echo a; false; echo b', exitCode: 1, stdout: 'a\n' },
  { id: 'trap-exit', text: 'trap "echo bye; exit 9" EXIT; echo hi; exit 3', exitCode: 9, stdout: 'hi\nbye\n' },
  { id: 'trap-term', text: 'trap "echo caught; exit 4" TERM; kill -TERM $$; sleep 5', exitCode: 4, stdout: 'caught\n' },
  { id: 'syntax-error', text: 'echo "unterminated', exitCode: 2, stderr: /./ },
  { id: 'no-newline', text: 'printf abc; printf def >&2', exitCode: 0, stdout: 'abc', stderr: /^def$/ },
  { id: 'not-found', text: 'conformance-no-such-program', exitCode: 127, stderr: /not found/ },
  { id: 'closed-stdout', text: 'exec 1>&-; echo x >&2; exit 4', exitCode: 4, stdout: '', stderr: /^x\n$/ },
  { id: 'closed-stderr', text: 'exec 2>&-; echo x; exit 4', exitCode: 4, stdout: 'x\n', stderr: /^$/ },
  { id: 'closed-all', text: 'exec 0<&- 1>&- 2>&-; exit 6', exitCode: 6, stdout: '' },
  {
    id: 'swapped',
    text: '{ echo out; echo err >&2; } 3>&1 1>&2 2>&3',
    exitCode: 0,
    stdout: 'err\n',
    stderr: /^out\n$/,
  },
  {
    id: 'reopened',
    text: 'echo out >/dev/stdout; echo err >/dev/stderr',
    exitCode: 0,
    stdout: 'out\n',
    stderr: /^err\n$/,
  },
  { id: 'pipeline', text: 'seq 1 1000 | tail -n 1 | cat', exitCode: 0, stdout: '1000\n' },
  { id: 'broken-pipe', text: 'yes | head -n 1', exitCode: 0, stdout: 'y\n', stderr: /^$/ },
  { id: 'heredoc', text: 'cat <<"X"\n$HOME `id`\nX\n', exitCode: 0, stdout: '$HOME `id`\n' },
  { id: 'background-waited', text: 'for i in 1 2 3; do (echo $i) & wait; done', exitCode: 0, stdout: '1\n2\n3\n' },
  { id: 'comment-end', text: 'echo x # comment', exitCode: 0, stdout: 'x\n' },
  { id: 'exec', text: 'exec echo replaced', exitCode: 0, stdout: 'replaced\n' },
  { id: 'subshell-exit', text: '(exit 12); echo $?', exitCode: 0, stdout: '12\n' },
  { id: 'carriage-return', text: 'printf "a\\r\\nb\\r"', exitCode: 0, stdout: 'a\r\nb\r' },
  { id: 'nothing', text: '', exitCode: 0, stdout: '' },
  { id: 'empty-stdin', text: 'wc -c', exitCode: 0, stdout: '0\n' },
];

export function shellCases(suite: Suite): void {
  for (const { id, text, exitCode, stdout, stderr } of lines) {
    suite.test(`shell.${id}`, `runs ${JSON.stringify(text)} like any shell`, async (place) => {
      const result = await sh(await place.sandbox(), text);
      if (stdout !== undefined) expect(result.stdout.toString()).toBe(stdout);
      if (stderr !== undefined) expect(result.stderr.toString()).toMatch(stderr);
      expect(result.exitCode).toBe(exitCode);
    });
  }
}
