/** What is kept from being seen, and who else looks at commands. */
import { z } from 'zod';
import { websiteRule } from '../../values/website-rule.ts';
import { credentialPathProblem } from '../../values/credential-path.ts';
import { forwardProblem } from '../../values/env.ts';
import { checkedText, flagKey, key } from '../../lib/config-key.ts';

const name = checkedText((text) => (forwardProblem(text) === null ? null : credentialPathProblem(text)));
const text = z
  .string()
  .min(1)
  .max(4096)
  .regex(/^[^\0]+$/);

const secretSource = z.union([
  z.strictObject({
    exec: z.tuple([text], text),
    timeout: z.number().min(0.1).max(300).optional(),
    cache: z.number().min(0).max(86_400).optional(),
  }),
  z.strictObject({ file: text.regex(/^(?:\/|~\/)/) }),
  z.strictObject({ env: checkedText(forwardProblem) }),
]);

const website = checkedText((rule) =>
  websiteRule(rule) === null ? 'it names no host, such as admin.example.com or *.internal.example.com' : null,
);

export const securitySection = z.strictObject({
  redact_secrets: flagKey('Replace secrets in the output of commands and in their records.'),
  secret_sources: key(
    z.record(name, secretSource),
    'sources by name, each {exec: [program, arguments], timeout, cache}, {file: path} or {env: name}',
    'Where values of variables, and contents of credential files, come from that are not simply there.',
  ),
  website_blocklist: key(
    z.strictObject({
      enabled: z.boolean().optional(),
      domains: z.array(website).max(10_000).optional(),
      shared_files: z.array(text).max(64).optional(),
    }),
    'enabled, domains and shared_files',
    'Hosts that no command may name, wherever it runs.',
  ),
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
