/** What is kept from being seen. */
import { z } from 'zod';
import { flagKey } from './key.ts';

export const securitySection = z.strictObject({
  redact_secrets: flagKey('Replace secrets in the output of commands and in their records.'),
});
