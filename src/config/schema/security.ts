/** What is kept from being seen, and who else looks at commands. */
import { z } from 'zod';
import { flagKey, key } from './key.ts';

export const securitySection = z.strictObject({
  redact_secrets: flagKey('Replace secrets in the output of commands and in their records.'),
  tirith_enabled: flagKey('Have tirith look at commands that could touch a host, where it is installed.'),
  tirith_path: key(
    z
      .string()
      .max(4096)
      .regex(/^(?:~\/|\/)?[^\0\n]+$/),
    'a program by name or path',
    'The program tirith: a name on the PATH, or a path from / or ~/.',
  ),
  tirith_timeout: key(z.number().min(0.1).max(300), 'seconds from 0.1 to 300', 'Seconds for its answer.'),
  tirith_fail_open: flagKey('Go on when it is not there or does not answer. false: refuse the command then.'),
  tirith_block: key(
    z.enum(['prompt', 'deny']),
    'prompt or deny',
    'What happens to what it would block: a question, or a refusal.',
  ),
});
