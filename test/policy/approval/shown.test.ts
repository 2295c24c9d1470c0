import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readAnswer } from '../../../src/policy/approval/answer.ts';
import { shownCommand } from '../../../src/policy/approval/display.ts';

describe('what is shown (AP-08)', () => {
  it.each([
    ['rm x\u001b[2K\rls', 'rm x\\x1b[2K\\rls'],
    ['rm \u202egpj.x', 'rm \\u{202e}gpj.x'],
    ['rm\u00a0x', 'rm\\xa0x'],
    ['a\tb\u200b', 'a\\tb\\u{200b}'],
    ['one\ntwo', 'one\ntwo'],
  ])('%j is spelled out', (command, display) => {
    expect(shownCommand(command).display).toBe(display);
    expect(shownCommand(command).warnings).toHaveLength(1);
  });

  it('of a long command are both ends, its length and its hash', () => {
    const { display, warnings } = shownCommand(`echo ${'a'.repeat(100_000)}; rm -rf ./tail`);
    expect(display.length).toBeLessThan(2300);
    expect(display).toMatch(/^echo aaa/);
    expect(display).toMatch(/rm -rf \.\/tail$/);
    expect(display).toMatch(/98\d{3} of 1000\d\d characters are not shown; sha256 [0-9a-f]{64}/);
    expect(warnings).toEqual(['it is long: 100020 characters']);
  });

  it('warns of letters that look like others', () => {
    expect(shownCommand('curl https://\u0430pple.com').warnings).toEqual([
      'it holds letters that may look like others',
    ]);
  });

  it('never holds a control or a format character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 5000 }), (text) => {
        expect(shownCommand(text).display.replaceAll('\n', '')).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u);
      }),
    );
  });
});

describe('an answer (AP-12)', () => {
  const all = ['once', 'session', 'always', 'deny'] as const;

  it.each([
    ['o', 'once'],
    ['once', 'once'],
    ['Y', 'once'],
    ['yes', 'once'],
    ['approve', 'once'],
    ['ok', 'once'],
    ['go', 'once'],
    [' approve \n', 'once'],
    ['s', 'session'],
    ['A', 'always'],
    ...['', ' ', 'd', 'no', 'n', 'deny', 'cancel', 'yes please', 'yess', 'o o', '\u{1f44d}', 'y\u0000', 'ｙ'].map(
      (text) => [text, 'deny'] as const,
    ),
    ['y'.repeat(1024 ** 2), 'deny'],
  ] as const)('%j is %s', (text, choice) => expect(readAnswer(text, all)).toBe(choice));

  it('that was not offered is a refusal', () => expect(readAnswer('always', ['once', 'deny'])).toBe('deny'));

  it('that is no text is a refusal', () => expect(readAnswer({ choice: 'once' }, all)).toBe('deny'));
});
