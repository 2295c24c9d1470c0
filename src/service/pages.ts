/** Lists in parts. A cursor is the position of the last item of a part: its time and its id. */
import type { Page, PageInput } from './types.ts';
import { CaissonError } from '../errors.ts';
import { given } from '../lib/given.ts';

export interface Position {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly id: string;
}

const [usual, max] = [100, 1000];

/** Throws `invalid_argument`. */
export function limitOf({ limit = usual }: PageInput): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= max) return limit;
  throw new CaissonError('invalid_argument', `the limit of a list is a whole number from 1 to ${max}`);
}

/** `null` at the beginning. Throws `invalid_argument` for a text that is not a cursor. */
export function positionOf({ cursor }: PageInput): Position | null {
  if (cursor === undefined) return null;
  const [, at, id] = /^(\d{1,15})\.([\w.-]{1,128})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (at !== undefined && id !== undefined) return { at: Number(at), id };
  throw new CaissonError('invalid_argument', 'the cursor is not one of a list', {
    remedy: 'pass `nextCursor` of the page before, or no cursor to begin anew',
  });
}

/** `items`: from the position on, one more than `limit` where there are more. */
export function pageOf<T>(items: readonly T[], limit: number, position: (item: T) => Position): Page<T> {
  const last = items[limit - 1];
  const { at, id } = items.length > limit && last !== undefined ? position(last) : { at: 0, id: null };
  const nextCursor = id === null ? null : Buffer.from(`${at}.${id}`).toString('base64url');
  return { items: items.slice(0, limit), nextCursor };
}

/** All items of a list, page after page. */
export async function* everyItem<T>(list: (page: PageInput) => Promise<Page<T>>): AsyncGenerator<T, void, void> {
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page: Page<T> = await list({ limit: max, ...given({ cursor }) });
    yield* page.items;
    cursor = page.nextCursor;
  }
}
