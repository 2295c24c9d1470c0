/** Private keys as text (RFC 7468, its older and PGP relatives), also as logs, diffs and source text quote them. */
import { alphanumeric, byteClass, has, latin1 } from '../bytes.ts';
import { type Eat, lookAhead, type Rule } from './rule.ts';

const begin = /-----BEGIN [A-Z0-9 ]{0,40}$|---- BEGIN [A-Z0-9 ]{0,40}$/;
const longestBegin = 52;
/** So many bytes of base64 in a row are a key's, and no word. */
const run = 16;
const isEmptyKey = /^[A-Za-z0-9+/=\s\\]*----[ -]END /;
const keyStart = /^(?:\r?\n|\\n)[A-Za-z0-9+/]/;
/** What may stand between two lines of a key: the time and the name of a log, quotes, a margin. */
const maxNoise = 96;

/** What has no end is a secret too. */
export const privateKey: Rule = ({ buffer, floor, final }, at, end) => {
  if (!begin.test(latin1(buffer, Math.max(floor, at - longestBegin), at))) return null;
  if (end >= buffer.length) return final ? null : { openFrom: end };
  const ahead = latin1(buffer, end, Math.min(buffer.length, end + lookAhead));
  const isKey = hasKeyRun(buffer, end, end + ahead.length) || isEmptyKey.test(ahead);
  if (!isKey && !final && ahead.length < lookAhead) return { openFrom: end };
  if (!isKey && !keyStart.test(ahead)) return null;
  return { kind: 'private-key', from: end, eat: eatKey(isKey ? maxNoise : 0) };
};

/** The lines of a PuTTY key, behind how many they are. */
export const puttyKey: Rule = (_text, _at, end) => ({ kind: 'private-key', from: end, eat: eatKey(0) });

const keyBody = byteClass('+/=\r\n\\,:-\t', [
  ['a', 'z'],
  ['A', 'Z'],
  ['0', '9'],
]);
const base64 = alphanumeric.map((member, byte) => (byte === 0x2b || byte === 0x2f || byte === 0x3d ? 1 : member));
const dash = 0x2d;

/** Base64, headers and noise, until the dashes that close the end line. */
function eatKey(noise: number): Eat {
  let dashes = 0;
  let borders = 0;
  let ended = false;
  let previous = 0x0a;
  let inRow = 0;
  let sinceRun = 0;
  return (buffer, at) => {
    if (ended) return at;
    for (let index = at; index < buffer.length; index += 1) {
      const byte = buffer[index] ?? 0;
      inRow = has(base64, byte) ? inRow + 1 : 0;
      sinceRun = inRow >= run ? 0 : sinceRun + 1;
      dashes = byte === dash ? dashes + 1 : 0;
      if (dashes === 4) borders += 1;
      // Four dashes and a space are those of SSH2, and five those of all others.
      if (borders === 2 && dashes === 0 && previous === dash) return end(index);
      if (borders === 2 && dashes === 5) return end(index + 1);
      const isSpace = byte === 0x20 && (borders === 1 || isSpaceAfter(previous));
      if (!isSpace && !has(keyBody, byte) && sinceRun > noise) return end(index);
      previous = byte;
    }
    return buffer.length;
  };

  function end(index: number): number {
    ended = true;
    return index;
  }
}

/** Whether a run of base64 is long enough, and has what words lack. */
function hasKeyRun(buffer: Buffer, from: number, end: number): boolean {
  let inRow = 0;
  let unlikeWords = false;
  for (let index = from; index < end; index += 1) {
    const byte = buffer[index] ?? 0;
    inRow = has(base64, byte) ? inRow + 1 : 0;
    unlikeWords = inRow > 0 && (unlikeWords || byte === 0x3d || (byte >= 0x30 && byte <= 0x39));
    if (unlikeWords && inRow >= run) return true;
  }
  return false;
}

function isSpaceAfter(byte: number): boolean {
  return byte === 0x0a || byte === 0x3a || byte === 0x20;
}
