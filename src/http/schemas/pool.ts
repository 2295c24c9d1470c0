import { z } from 'zod';
import { listOf } from './common.ts';

const view = z
  .object({
    entry: z.string(),
    backend: z.string(),
    image: z.string().nullable(),
    size: z.int(),
    ready: z.int(),
    making: z.int(),
    error: z.string().nullable().describe('Why the last one could not be made.'),
  })
  .meta({ id: 'PoolEntry' });

/** What plain routes take and give. */
export const plain = {
  list: { answer: listOf(view) },
  fill: { answer: listOf(view) },
  drain: { answer: z.object({ removed: z.int() }) },
} as const;
