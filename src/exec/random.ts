/** Random bytes as text, out of a block: to ask for sixteen costs as much as to ask for four thousand. */
import { randomFillSync } from 'node:crypto';

const block = Buffer.alloc(4096);
let used = block.length;

export function randomText(bytes: number, encoding: 'base64url' | 'hex'): string {
  if (used + bytes > block.length) {
    randomFillSync(block);
    used = 0;
  }
  used += bytes;
  return block.toString(encoding, used - bytes, used);
}

/** Id of an exec whose caller gave none. */
export function newExecId(): string {
  return `exec_${randomText(12, 'hex')}`;
}

/** 24 characters of [A-Za-z0-9_-] that cannot be guessed. */
export function newNonce(): string {
  return randomText(18, 'base64url');
}
