import type { ByteClass } from '../bytes.ts';

/** How the tokens of an issuer look. */
export interface Vendor {
  readonly kind: string;
  readonly prefixes: readonly string[];
  /** What follows the prefix, and how much of it at least. */
  readonly rest: ByteClass;
  readonly min: number;
  /** A prefix that is also a part of words: its rest must have a digit or an upper-case letter. */
  readonly unlikeWords?: boolean;
  /** What the rest must look like, where its bytes say too little. */
  readonly shape?: RegExp;
  /** It stands in the middle of a token, whose beginning says nothing. */
  readonly within?: boolean;
  /** More exact kinds by how the rest begins. */
  readonly kinds?: Readonly<Record<string, string>>;
}
