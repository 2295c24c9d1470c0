/** Ids of execs: by its own id a command can be found again. Read without node:crypto, whose loading takes longer than all of a request. */
import { closeSync, openSync, readSync } from 'node:fs';

const randomBytes = 12;

export function newExecId(): string {
  const bytes = Buffer.alloc(randomBytes);
  const source = openSync('/dev/urandom', 'r');
  try {
    readSync(source, bytes, 0, randomBytes, null);
  } finally {
    closeSync(source);
  }
  return `exec_${bytes.toString('hex')}`;
}
