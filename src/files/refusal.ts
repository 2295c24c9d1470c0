/**
 * What the strict extractor says no with. A refusal is `permission_denied`: the sandbox tried (or happened) to send what
 * may not come out of it, and repeating the request does not help. `details` name the rule and the entry, escaped.
 */
import { CaissonError, isCode } from '../errors.ts';
import { type ByteName, printable } from './byte-name.ts';

export type Rule =
  | 'empty-name'
  | 'absolute-name'
  | 'dot-dot'
  | 'dot'
  | 'backslash'
  | 'nul'
  | 'drive-letter'
  | 'name-too-long'
  | 'too-deep'
  | 'no-parent'
  | 'twice'
  | 'second-root'
  | 'not-a-file'
  | 'hard-link'
  | 'sparse'
  | 'unknown-type'
  | 'extension'
  | 'size'
  | 'header'
  | 'compressed'
  | 'trailer'
  | 'too-many-bytes'
  | 'too-many-entries'
  | 'too-many-links'
  | 'special'
  | 'link-outside';

const remedies: Partial<Record<Rule, string>> = {
  'hard-link': 'copy the tree inside the sandbox first (cp -R breaks hard links), or install GNU tar there',
  compressed: 'the tar in the sandbox must not compress; check its TAR_OPTIONS and wrappers',
  'too-many-bytes': 'copy less, or raise the byte limit of the copy',
  'too-many-entries': 'copy less, or raise the entry limit of the copy',
  'too-deep': 'copy a part of the tree, or raise the depth limit of the copy',
  'not-a-file': 'only regular files and directories can be copied',
};

const fromSandbox = 'copy from the sandbox refused: ';

export function archiveRefusedError(rule: Rule, why: string, entry: ByteName | null = null): CaissonError {
  const shown = entry === null ? null : printable(entry);
  const what = shown === null ? 'the archive' : `entry "${shown}"`;
  return new CaissonError('permission_denied', `${fromSandbox}${what}: ${why}`, {
    details: { rule, entry: shown },
    remedy: remedies[rule] ?? 'look at the source inside the sandbox; nothing was written',
  });
}

/** Turns a fault of an archive that a client sent into the client's mistake. Any other error stays as it is. */
export function asUpload(error: unknown): unknown {
  if (!isCode(error, 'permission_denied') || !error.message.startsWith(fromSandbox)) return error;
  return new CaissonError('invalid_argument', `archive refused: ${error.message.slice(fromSandbox.length)}`, {
    cause: error,
    details: error.details,
    remedy: 'send regular files, directories, and links to places inside the archive; nothing was changed',
  });
}
