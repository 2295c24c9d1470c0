/** The log of a service without a terminal: one file that is bounded, and the one before it. */
import { closeSync, copyFileSync, fchmodSync, fstatSync, ftruncateSync, openSync, writeSync } from 'node:fs';

export interface LogFile {
  write(text: string): void;
  close(): void;
}

/**
 * When the file is full, it is copied and emptied instead of renamed: the stdout and stderr of the process go to the same file,
 * by descriptors of their own that append.
 */
export function openLogFile(path: string, maxBytes = 10 * 1024 * 1024): LogFile {
  const file = openSync(path, 'a', 0o600);
  fchmodSync(file, 0o600);
  let bytes = fstatSync(file).size;
  const rotate = (): void => {
    copyFileSync(path, `${path}.1`);
    ftruncateSync(file);
    bytes = 0;
  };
  return {
    write: (text) => {
      try {
        if (bytes >= maxBytes) rotate();
        bytes += writeSync(file, text);
      } catch {
        // A full disk must not end the service.
      }
    },
    close: () => closeSync(file),
  };
}
