/** Programs that only look at things: they run in the modes that let reading run. */
import type { Model } from './model.ts';

/** `flags` are letters without a value, `valued` those with one; a value behind a blank is judged as an operand. */
function looks(flags: string, valued: string, long: string): Model {
  const names = [
    ...Array.from(flags, (letter) => `-${letter}`),
    ...Array.from(`${valued}0123456789`, (letter) => `-${letter}?`),
    ...long.split(' ').flatMap((name) => (name === '' ? [] : [`--${name}?`])),
  ];
  return { options: names.join(' '), reads: true };
}

export const looking: Readonly<Record<string, Model>> = {
  ls: looks(
    'aAbBcCdfFgGhHiIklLmnNopqQrRsStTuUvwxXZ1',
    '',
    'all almost-all classify color directory full-time group-directories-first human-readable inode reverse ' +
      'recursive size sort time help version',
  ),
  cat: looks('AbeEnstTuv', '', 'number show-all squeeze-blank show-ends show-tabs help version'),
  echo: looks('neE', '', ''),
  grep: looks(
    'abcEFGhHiIlLnoPqrRsTUvVwxyzZ',
    'ABCdDefm',
    'color count extended-regexp fixed-strings perl-regexp ignore-case invert-match word-regexp line-regexp ' +
      'line-number files-with-matches files-without-match only-matching quiet recursive include exclude ' +
      'exclude-dir context after-context before-context max-count with-filename no-filename help version',
  ),
  rg: looks(
    'abcFHiIlLnNopPqsSUvwxz',
    'ABCdEefgMmtT',
    'color count files files-with-matches fixed-strings glob hidden ignore-case invert-match line-number ' +
      'no-heading no-ignore only-matching smart-case sort type type-not word-regexp context after-context ' +
      'before-context max-count max-depth json stats vimgrep multiline help version',
  ),
  sort: looks(
    'bcCdfghiMmnrRsuVz',
    'kt',
    'ignore-case numeric-sort reverse unique key field-separator human-numeric-sort version-sort stable check ' +
      'zero-terminated help version',
  ),
  head: looks('qvz', 'cn', 'bytes lines quiet verbose help version'),
  tail: looks('fFqvz', 'cns', 'bytes lines follow quiet verbose help version'),
  wc: looks('clLmw', '', 'bytes chars lines words max-line-length help version'),
  pwd: looks('LP', '', 'logical physical'),
  stat: looks('fLt', 'c', 'dereference format terse help version'),
  du: looks('abchHklLmPsSx', 'dtX', 'all human-readable summarize max-depth total exclude help version'),
  df: looks('ahHiklPT', 'tx', 'human-readable inodes local total help version'),
  diff: looks(
    'abBcdeEHiNpqrstTuwy',
    'CUIxWF',
    'brief unified recursive side-by-side color ignore-all-space help version',
  ),
  cut: looks('nsz', 'bcdf', 'delimiter fields characters bytes complement help version'),
  tr: looks('cCdst', '', 'delete squeeze-repeats complement help version'),
  true: looks('', '', ''),
  false: looks('', '', ''),
  basename: looks('az', 's', 'suffix multiple'),
  dirname: looks('z', '', 'zero'),
  uname: looks('asnrvmpio', '', 'all help version'),
  whoami: looks('', '', 'help version'),
  id: looks('agGnruzZ', '', 'user group groups name help version'),
};
