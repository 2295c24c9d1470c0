/** Types of the keys `terminal.modal_*`, with what each means. */
import { z } from 'zod';
import { checkedText, flagKey, key } from '../../src/lib/config-key.ts';
import { imageProblem } from '../../src/values/image.ts';

const daySeconds = 86_400;

export const schema = {
  image: key(checkedText(imageProblem), 'an image reference such as debian:12', 'Image of Modal sandboxes.'),
  network: flagKey('Outbound network of Modal sandboxes. false: none at all.'),
  app: key(
    z.string().regex(/^[A-Za-z0-9._-]{1,64}$/),
    'letters, digits, ".", "_" and "-", at most 64',
    'App at Modal in which the sandboxes are made; it is made when it is missing.',
  ),
  lifetime_seconds: key(
    z.number().int().min(60).max(daySeconds),
    'a number of seconds from 60 to 86400',
    'Longest life of a Modal sandbox. The service ends it then; a persistent one is restored when it is used again.',
  ),
  idle_seconds: key(
    z.number().int().min(60).max(daySeconds),
    'a number of seconds from 60 to 86400',
    'The service ends a Modal sandbox in which no command has run for so long, also when Caisson does not run.',
  ),
  max_sandboxes: key(
    z.number().int().min(1).max(10_000).nullable(),
    'a number from 1 to 10000, or null',
    'Most Modal sandboxes that may run in the app at once, of all who use it. null: any number.',
  ),
} as const;
