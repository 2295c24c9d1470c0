/** Conditions of a request on the file that it names (RFC 9110, section 13). The tag of a file is its SHA-256. */
import { CaissonError } from '../../errors.ts';

interface Tag {
  readonly sha256: string;
  /** A weak tag equals none where the bytes count. */
  readonly isWeak: boolean;
}

/** `*`: whatever is there. */
type Tags = '*' | readonly Tag[];

export interface Conditions {
  /** The file must be one of these. `undefined`: no such condition. */
  readonly match: Tags | undefined;
  /** The file must be none of these. */
  readonly noneMatch: Tags | undefined;
}

type Header = (name: string) => string | undefined;

const list = /^\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*\s*$/;

/** Throws `invalid_argument` for a header of another form. */
export function conditionsIn(header: Header): Conditions {
  return { match: tagsIn('If-Match', header), noneMatch: tagsIn('If-None-Match', header) };
}

function tagsIn(name: string, header: Header): Tags | undefined {
  const text = header(name.toLowerCase());
  if (text === undefined || text.trim() === '*') return text === undefined ? undefined : '*';
  if (!list.test(text))
    throw new CaissonError('invalid_argument', `${name} is neither * nor a list of tags`, {
      remedy: `send ${name}: "SHA256", as in the header ETag`,
    });
  return [...text.matchAll(/(W\/)?"([^"]*)"/g)].map(([, weak, sha256 = '']) => ({
    sha256,
    isWeak: weak !== undefined,
  }));
}

/**
 * What `files.write` is to find, where the conditions say it by themselves: a digest, `null` for no file, `undefined` for
 * anything. `null` as a whole: it depends on the file that is there.
 */
export function saidBy({ match, noneMatch }: Conditions): { readonly expected: string | null | undefined } | null {
  if (match === undefined && noneMatch === undefined) return { expected: undefined };
  if (match === undefined) return noneMatch === '*' ? { expected: null } : null;
  const [tag, ...more] = match === '*' ? [] : match;
  const isOne = tag !== undefined && more.length === 0 && isDigest(tag) && noneMatch === undefined;
  return isOne ? { expected: tag.sha256 } : null;
}

const isDigest = ({ sha256, isWeak }: Tag): boolean => !isWeak && /^[0-9a-f]{64}$/.test(sha256);

/** `present`: the SHA-256 of the file, or `null` for no file. The first that does not hold is named. */
export function brokenOf({ match, noneMatch }: Conditions, present: string | null): keyof Conditions | null {
  if (match !== undefined && !isIn(match, present, 'strong')) return 'match';
  if (noneMatch !== undefined && isIn(noneMatch, present, 'weak')) return 'noneMatch';
  return null;
}

function isIn(tags: Tags, present: string | null, comparison: 'strong' | 'weak'): boolean {
  if (present === null || tags === '*') return present !== null;
  return tags.some(({ sha256, isWeak }) => sha256 === present && !(isWeak && comparison === 'strong'));
}
