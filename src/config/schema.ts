/**
 * The one schema of the configuration file. Strict: what is not known here is an error.
 *
 * This is the only part of the room that loads zod, so it is imported when there is something to check, and not before.
 */
import { z } from 'zod';
import { allowlistKey, approvalsSection, rulesKey, toolModeKey } from './schema/approvals.ts';
import { guardrailsSection } from './schema/guardrails.ts';
import { hooksSection } from './schema/hooks.ts';
import { discordSection, groupSessionsKey, platformSection, strangersKey } from './schema/messaging.ts';
import { auditSection, execSection, policySection, poolSection } from './schema/sections.ts';
import { securitySection } from './schema/security.ts';
import { serverName, serverSection } from './schema/servers.ts';
import { placeKeys, terminalSection } from './schema/terminal.ts';

export {
  approvalsSection,
  auditSection,
  discordSection,
  execSection,
  guardrailsSection,
  hooksSection,
  platformSection,
  policySection,
  poolSection,
  securitySection,
  serverSection,
  terminalSection,
};
export { expectationOf } from './schema/key.ts';

/** A task id, or a pattern with `*` and `?`. */
const taskPattern = z.string().regex(/^[a-z0-9*?][a-z0-9_*?-]{0,62}$/);

/** What may be said for a task alone. The host of a backend is one for all of them: sandboxes are found again by it. */
export const taskSection = terminalSection.omit(placeKeys).partial().extend({
  rules: rulesKey.optional(),
  tool_mode: toolModeKey.optional(),
});

/** The file of a project: rules that travel with its code. */
export const projectRules = rulesKey.extend({ tool_mode: toolModeKey.optional() });

/** Keys that stand beside the sections. */
export const single = {
  command_allowlist: allowlistKey,
  unauthorized_dm_behavior: strangersKey,
  group_sessions_per_user: groupSessionsKey,
} as const;

export const sections = {
  terminal: terminalSection,
  approvals: approvalsSection,
  hooks: hooksSection,
  tool_loop_guardrails: guardrailsSection,
  policy: policySection,
  security: securitySection,
  exec: execSection,
  audit: auditSection,
  pool: poolSection,
  discord: discordSection,
  email: platformSection,
  mattermost: platformSection,
  signal: platformSection,
  slack: platformSection,
  telegram: platformSection,
  whatsapp: platformSection,
} as const;

export const document = z.strictObject({
  terminal: terminalSection.partial().optional().describe('Where commands run, and within which bounds.'),
  approvals: approvalsSection.partial().optional().describe('What is asked about, and who answers.'),
  command_allowlist: allowlistKey.optional(),
  hooks: hooksSection.partial().optional().describe('Scripts that see a call before it runs.'),
  tool_loop_guardrails: guardrailsSection
    .partial()
    .optional()
    .describe('When somebody who turns in circles is stopped.'),
  policy: policySection.partial().optional().describe('What is refused.'),
  security: securitySection.partial().optional().describe('What is kept from being seen.'),
  exec: execSection.partial().optional().describe('Output of commands, and their records.'),
  audit: auditSection.partial().optional().describe('The chain of what was decided and run.'),
  pool: poolSection.partial().optional().describe('How many things happen at once.'),
  unauthorized_dm_behavior: strangersKey.optional(),
  group_sessions_per_user: groupSessionsKey.optional(),
  discord: discordSection.partial().optional().describe('Who is heard on Discord.'),
  email: platformSection.partial().optional().describe('Who is heard by e-mail.'),
  mattermost: platformSection.partial().optional().describe('Who is heard on Mattermost.'),
  signal: platformSection.partial().optional().describe('Who is heard on Signal.'),
  slack: platformSection.partial().optional().describe('Who is heard on Slack.'),
  telegram: platformSection.partial().optional().describe('Who is heard on Telegram.'),
  whatsapp: platformSection.partial().optional().describe('Who is heard on WhatsApp.'),
  mcp_servers: z
    .record(serverName, serverSection)
    .optional()
    .describe('MCP servers that are started as children, by name; each gets its own variables and no others.'),
  tasks: z
    .record(taskPattern, taskSection)
    .optional()
    .describe(
      'Overrides of terminal keys by task id or pattern (* and ?); later entries win, an exact id wins over patterns. Also rules and tool_mode.',
    ),
});
