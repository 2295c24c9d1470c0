import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { addressPart, cut, isPlain, shown, shownLines } from '../../dashboard/src/text/hostile.ts';
import { commandText, linesOf, quoted } from '../../dashboard/src/text/shell.ts';
import { bytesText, clockText, durationText } from '../../dashboard/src/text/units.ts';

const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\u2028\u2029]/u;

it('what is not seen, or reorders what is, is shown by its number', () => {
  expect(shown('a\u202egnp.exe')).toBe(String.raw`a\u{202e}gnp.exe`);
  expect(shown('\u001b[31mred\u0007\n\u{e0041}\ud800')).toBe(String.raw`\u{1b}[31mred\u{7}\u{a}\u{e0041}\u{d800}`);
  expect(shownLines('a\r\n\tb\rc')).toBe(`a\n\tb${String.raw`\u{d}`}c`);
});

it('no text has anything unseen after it is shown, and a plain one stays as it is', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(shown(text)).not.toMatch(unseen);
      expect(shownLines(text).replaceAll(/[\n\t]/g, '')).not.toMatch(unseen);
      if (isPlain(text)) expect(shown(text)).toBe(text);
    }),
  );
});

it('a text is cut between characters', () => {
  expect(cut('😀😀😀', 2)).toBe('😀…');
  expect(cut('😀😀', 2)).toBe('😀😀');
});

it('a part of an address is of any text, also of half a pair', () => {
  expect(addressPart('a/b?c ä')).toBe('a%2Fb%3Fc%20%C3%A4');
  expect(addressPart('\ud800x')).toBe('%EF%BF%BDx');
});

it('a shell reads a quoted word as it was', () => {
  const words = ['', "it's", '$(id)', '`id`', 'a b', '"', String.raw`\ `, '-n', 'ä', '*', '~', '!x', '#'];
  const text = words.map(quoted).join(' ');
  const read = execFileSync('sh', ['-c', `printf '%s\\0' ${text}`], { encoding: 'utf8' });
  expect(read.split('\0').slice(0, -1)).toEqual(words);
});

it('an action is a line for caisson and one for curl, without a token', () => {
  const action = {
    words: ['net', 'allow', 'build', "a'b"],
    method: 'PATCH',
    paths: ['/v1/x'],
    body: { allow: ["a'b"] },
  } as const;
  expect(linesOf(action, 'http://127.0.0.1:7480')).toEqual({
    caisson: String.raw`caisson net allow build 'a'\''b'`,
    curl: String.raw`curl -H @caller -X PATCH -H 'content-type: application/json' -d '{"allow":["a'\''b"]}' http://127.0.0.1:7480/v1/x`,
  });
});

it.each(['a\nb', 'a\u001b[31m', 'a\u202eb', 'a\u0000', 'a\rb'])(
  'a name that is not what it looks like is not copied: %j',
  (name) => {
    expect(linesOf({ words: ['stop', name], method: 'POST', paths: ['/v1/x'] }, 'http://x')).toBeNull();
  },
);

it('a command of a shell is shown as its text, and any other by its words', () => {
  expect(commandText(['sh', '-c', 'echo $HOME'])).toBe('echo $HOME');
  expect(commandText(['sh', '-c', 'echo', 'x'])).toBe('sh -c echo x');
  expect(commandText(['echo', 'a b'])).toBe("echo 'a b'");
});

it('numbers are for people', () => {
  expect([0, 999, 1000, 61_000, 3_600_000, 90_061_000].map(durationText)).toEqual([
    '0 ms',
    '999 ms',
    '1 s',
    '1 min 1 s',
    '1 h',
    '1 d 1 h',
  ]);
  expect([-5, 0, 1, 59_001, 3_661_000].map(clockText)).toEqual(['0:00', '0:00', '0:01', '1:00', '1:01:01']);
  expect([0, 1023, 1024, 1536, 300 * 1024, 2 ** 40 * 5].map(bytesText)).toEqual([
    '0 B',
    '1023 B',
    '1.0 KiB',
    '1.5 KiB',
    '300 KiB',
    '5.0 TiB',
  ]);
});
