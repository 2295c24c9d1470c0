/** How large a patch may make a text, and how it is refused. */
import { CaissonError } from '../../errors.ts';

export function patchMismatchError(why: string): CaissonError {
  return new CaissonError('invalid_argument', `the patch does not apply: ${why}; nothing was changed`, {
    remedy: 'read the file again and make the patch from what is there',
  });
}

const mebibyte = 1024 * 1024;

/** Bytes of the text after any edit: a request of a few kilobytes must not make hundreds of megabytes of it. */
export const maxGrown = (bytes: number): number => Math.max(4 * bytes, bytes + 8 * mebibyte);

export function patchTooLargeError(bytes: number): CaissonError {
  return new CaissonError(
    'invalid_argument',
    `the patch makes more than ${bytes} bytes of the file; nothing was changed`,
    {
      remedy:
        'a patch grows a file to four times its size or by 8 MiB, the larger of them: write the whole file instead',
    },
  );
}
