/** Services that are called when something happens. */
import { z } from 'zod';
import { checkedText, key } from '../../lib/config-key.ts';
import { webhookUrlProblem } from '../../values/webhook.ts';

const webhookName = z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/);

export const webhookSection = z.strictObject({
  url: key(
    checkedText(webhookUrlProblem),
    'an address such as https://hooks.example.com/caisson',
    'Where events are sent.',
  ),
  secret_env: key(
    z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/),
    'the name of a variable',
    'The variable that holds the secret by which events are signed: whsec_ and 24 to 64 bytes as base64.',
  ),
  events: key(
    z
      .array(z.enum(['approval.asked', 'approval.answered', 'sandbox.state', 'network.denied']))
      .min(1)
      .optional(),
    'approval.asked, approval.answered, sandbox.state or network.denied',
    'Which events are sent. Absent: all.',
  ),
});

export const webhooksKey = z
  .record(webhookName, webhookSection)
  .describe('Services that are called when something happens, by name.');
