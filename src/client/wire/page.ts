/** One part of a list. */
import type { Page } from '../../service/types.ts';
import { listed, shaped, type Shape } from './shape.ts';

export function page<T extends object>(value: unknown, shape: Shape<T>): Page<T> {
  const { nextCursor } = shaped<Page<T>>(value, { items: 'list', nextCursor: 'text?' });
  return { items: listed(value, shape), nextCursor };
}
