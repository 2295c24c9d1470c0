import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Field, isField, without } from './fields.ts';

const bare = (text: string, ...fields: readonly Field[]): string =>
  without(fields, '/tmp/oracle/batch-00001/plain-000001', Buffer.from(text, 'latin1')).toString('latin1');

describe('a field', () => {
  it.each([
    ['pid', 'pid 123, and 456', 'pid PID, and 456'],
    ['pid', '[1] 4711\n[2]+ 12 Running', '[1] PID\n[2]+ PID Running'],
    ['time', '-rw-r--r-- 1 root 12 Mar  4 05:06 a', '-rw-r--r-- 1 root 12 TIME a'],
    ['time', 'on 2024-03-04 05:06, 12 files', 'on TIME, 12 files'],
    ['inode', 'pipe:[123] is [123]', 'pipe:[INODE] is [123]'],
    ['tty', '/dev/pts/3 and pts/4', 'TTY and TTY'],
    ['trace', '+++ echo + a', '+ echo + a'],
  ] as const)('%s changes its own numbers and no others: %s', (field, text, wanted) => {
    expect(bare(text, field)).toBe(wanted);
    expect(bare(text)).toBe(text);
  });

  it('ps keeps the head of a list, what a case has started, and what it says', () => {
    const list =
      '    PID   CMD\n   1 init\n 12 bash -c oracle-plain-000001 3; x\n 13 oracle-plain-000001 3\n 14 oracle-plain-000002 3\nend of list\n';
    expect(bare(list, 'ps')).toBe(' PID CMD\noracle-HERE 3\nend of list');
  });

  it('has one of the known names', () => {
    expect([isField('pid'), isField('ps'), isField('toString')]).toEqual([true, true, false]);
  });
});

describe('every output', () => {
  it('loses the name of its directory, and of its shell with the line', () => {
    expect(bare('in /tmp/oracle/batch-00001/plain-000001/tree, plain-000001')).toBe('in HERE/tree, HERE');
    for (const speaker of ['bash: line 1', 'bash: -c: line 1', 'bash: eval: line 12', 'main.sh: line 2'])
      expect(bare(`${speaker}: x: command not found`)).toBe('SHELL: x: command not found');
    expect(bare('bash: line 1:   77 Killed   sleep 5')).toBe('SHELL: PID Killed   sleep 5');
    expect(bare('a bash: line 1: in a line')).toBe('a bash: line 1: in a line');
  });

  it('keeps all other bytes', () => {
    const plain = fc
      .uint8Array()
      .filter((bytes) => !/bash|sh:|plain|main|line/.test(Buffer.from(bytes).toString('latin1')));
    fc.assert(
      fc.property(plain, (bytes) => {
        expect(without([], '/tmp/oracle/batch-00001/plain-000001', Buffer.from(bytes))).toEqual(Buffer.from(bytes));
      }),
    );
  });
});
