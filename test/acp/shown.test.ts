import { describe, expect, it } from 'vitest';
import { isAsked, isSensitive, mayHold } from '../../src/acp/edits.ts';
import { inProject } from '../../src/acp/project.ts';
import { bounded, codeBlock, codeTitle, visible } from '../../src/acp/shown.ts';
import { Tail } from '../../src/acp/tail.ts';
import { withOutputs } from '../../src/acp/update.ts';

describe('a text of a stranger', () => {
  it('shows what is not seen, and keeps its lines', () => {
    expect(visible('a\tb\nc\r\u001b[2J\u202e\u200b\u2028')).toBe('a\tb\nc\\x0d\\x1b[2J\\u{202e}\\u{200b}\\u{2028}');
  });

  it.each(['plain', '```\n# not a heading\n```', '````', '`'])('%j cannot end its block of code', (text) => {
    const [first = '', ...rest] = codeBlock(text).split('\n');
    expect(first).toMatch(/^`{3,}$/);
    expect(rest.pop()).toBe(first);
    expect(rest.some((line) => line.includes(first))).toBe(false);
  });

  it('is one line of a bounded length in a title', () => {
    expect(codeTitle('a `b` ``c``\nd')).toBe('``` a `b` ``c`` d ```');
    expect(codeTitle('x'.repeat(10_000)).length).toBeLessThan(250);
    expect(codeTitle(' \n ')).toBe('an empty text');
  });

  it('keeps both ends when it is long', () => {
    expect(bounded('a'.repeat(50) + 'b'.repeat(50), 20)).toBe(
      `${'a'.repeat(10)}\n[... 80 characters are not shown ...]\n${'b'.repeat(10)}`,
    );
  });
});

describe('the output of a terminal', () => {
  it('is its end, cut at the beginning of a character', () => {
    const tail = new Tail(4);
    for (const chunk of ['0123', 'ä', 'öü']) tail.add(Buffer.from(chunk));
    expect([tail.text, tail.truncated]).toEqual(['öü', true]);
    const odd = new Tail(3);
    odd.add(Buffer.from('äöü'));
    expect([odd.text, odd.truncated]).toEqual(['ü', true]);
  });

  it('is whole where it fits, also in characters that come in parts', () => {
    const tail = new Tail(undefined);
    for (const byte of Buffer.from('größer')) tail.add(Buffer.from([byte]));
    expect([tail.text, tail.truncated]).toEqual(['größer', false]);
  });

  it('takes no more memory than its bound, whatever is written', () => {
    const tail = new Tail(1e12);
    for (let count = 0; count < 64; count += 1) tail.add(Buffer.alloc(256 * 1024, count));
    expect(tail.text.length).toBeLessThanOrEqual(1024 * 1024);
  });

  it('stands in an update for a terminal that only Caisson knows', () => {
    const update = (...content: readonly object[]) => ({ method: 'session/update', params: { update: { content } } });
    const textOf = (id: unknown) => (id === 'mine' ? 'it ran' : null);
    const mine = withOutputs(update({ type: 'terminal', terminalId: 'mine' }), textOf);
    expect(mine).toEqual(update({ type: 'content', content: { type: 'text', text: '```\nit ran\n```' } }));
    const other = update({ type: 'terminal', terminalId: 'other' }, { type: 'content' });
    expect(withOutputs(other, textOf)).toBe(other);
  });
});

describe('an edit', () => {
  const ask = { mode: 'ask', granted: false } as const;
  it.each([
    '.git/config',
    'sub/.git/hooks/pre-commit',
    '.GIT/x',
    '.env',
    '.env.local',
    '.envrc',
    'x/.ssh/config',
    'id_ed25519',
    '.npmrc',
  ])('of %s is asked about in every mode, each time', (path) => {
    for (const mode of ['ask', 'session', 'policy'] as const) {
      expect(isAsked(path, { mode, granted: true })).toBe(true);
      expect(mayHold(path, { mode, granted: false })).toBe(false);
    }
  });

  it.each(['src/git.ts', 'environment.md', 'gitignore', '.gitignore'])('of %s is one like any other', (path) => {
    expect(isSensitive(path)).toBe(false);
    expect([
      isAsked(path, ask),
      isAsked(path, { ...ask, granted: true }),
      isAsked(path, { ...ask, mode: 'policy' }),
    ]).toEqual([true, false, false]);
  });
});

describe('a path', () => {
  it.each(['/p', '/p/', '/p/a', '/p/./a/../b', '/p/..a'])('%j is in the project', (path) => {
    expect(inProject('/p', path)).toMatch(/^\/p(?:\/[^/]+)*$/);
  });

  it.each(['/', '/pp', '/p/../q', '/p/..', 'p', '', '/p\0', 7, null, `/p/${'x'.repeat(5000)}`])('%j is not', (path) => {
    expect(() => inProject('/p', path)).toThrow(/absolute|not in the project/);
  });
});
