/** Types of the keys `terminal.local_*`, with what each means. */
import { z } from 'zod';
import { key } from '../../src/lib/config-key.ts';

export const schema = {
  environment: key(
    z.enum(['minimal', 'host']),
    'minimal or host',
    'What commands of the local backend inherit: who and where, or all but infrastructure and secrets.',
  ),
} as const;
