/**
 * The one schema of the configuration file. Strict: what is not known here is an error.
 *
 * This is the only part of the room that loads zod, so it is imported when there is something to check, and not before.
 */
import { z } from 'zod';
import type { ForeignKey, KeySchema } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import { key } from '../lib/config-key.ts';
import { acpSection, allowlistKey, approvalsSection, rulesKey, toolModeKey } from './schema/approvals.ts';
import { guardrailsSection } from './schema/guardrails.ts';
import { hooksSection } from './schema/hooks.ts';
import { networkPart, networkSection } from './schema/network.ts';
import { discordSection, groupSessionsKey, platformSection, strangersKey } from './schema/messaging.ts';
import { auditSection, execSection, policySection, poolSection, serviceSection } from './schema/sections.ts';
import { securitySection } from './schema/security.ts';
import { serversKey, serverSection } from './schema/servers.ts';
import { ownersKey } from './schema/owners.ts';
import { registriesKey } from './schema/registries.ts';
import { webhooksKey, webhookSection } from './schema/webhooks.ts';
import { terminalSection } from './schema/terminal.ts';
import { type BackendKeys, backendKey } from './backends.ts';

export {
  acpSection,
  approvalsSection,
  auditSection,
  discordSection,
  execSection,
  guardrailsSection,
  hooksSection,
  networkSection,
  platformSection,
  policySection,
  poolSection,
  securitySection,
  serverSection,
  serviceSection,
  terminalSection,
  webhookSection,
};
export { expectationOf } from '../lib/config-key.ts';

/** A task id, or a pattern with `*` and `?`. */
const taskPattern = z.string().regex(/^[a-z0-9*?][a-z0-9_*?-]{0,62}$/);

/** The file of a project: rules that travel with its code. */
export const projectRules = rulesKey.extend({ tool_mode: toolModeKey.optional() });

/** A module runs with the rights of Caisson: only the home's own file can name one. */
const backendsKey = key(
  z.record(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/), z.string().min(1).max(4096)),
  'paths of modules by the names of backends',
  'Backends of your own by name: paths of their modules, relative to the state directory.',
);

/** Keys that stand beside the sections. */
export const single = {
  backends: backendsKey,
  command_allowlist: allowlistKey,
  unauthorized_dm_behavior: strangersKey,
  group_sessions_per_user: groupSessionsKey,
} as const;

const others = {
  approvals: approvalsSection,
  acp: acpSection,
  hooks: hooksSection,
  tool_loop_guardrails: guardrailsSection,
  policy: policySection,
  security: securitySection,
  network: networkSection,
  exec: execSection,
  audit: auditSection,
  pool: poolSection,
  server: serviceSection,
  discord: discordSection,
  email: platformSection,
  mattermost: platformSection,
  signal: platformSection,
  slack: platformSection,
  telegram: platformSection,
  whatsapp: platformSection,
} as const;

/** Not to be said on the command line. */
const inFileOnly = {
  tasks: true,
  backends: true,
  command_allowlist: true,
  unauthorized_dm_behavior: true,
  group_sessions_per_user: true,
  mcp_servers: true,
  webhooks: true,
  owners: true,
  registries: true,
} as const;

export type Schema = Awaited<ReturnType<typeof buildSchema>>;

/** The schema with the keys of the backends. Those that only the home's file may have are not in `flags`. */
export async function buildSchema({ configs }: BackendKeys) {
  const terminal = extended(terminalSection, await backendShape(configs));
  // What may be set for a task alone. The place of a backend is one for all of them: sandboxes are found again by it.
  const placeKeys = Object.entries(configs).flatMap(([name, { placeKeys: own = [] }]) =>
    own.map((key) => [backendKey(name, key), true] as const),
  );
  const task = terminal
    .omit({ skill_directories: true, ...Object.fromEntries(placeKeys) })
    .partial()
    .extend({ rules: rulesKey.optional(), tool_mode: toolModeKey.optional(), network: networkPart.optional() });
  const document = z.strictObject({
    terminal: terminal.partial().optional().describe('Where commands run, and within which bounds.'),
    approvals: approvalsSection.partial().optional().describe('What is asked about, and who answers.'),
    command_allowlist: allowlistKey.optional(),
    acp: acpSection.partial().optional().describe('Agents of editors, under `caisson acp`.'),
    hooks: hooksSection.partial().optional().describe('Scripts that see a call before it runs.'),
    tool_loop_guardrails: guardrailsSection
      .partial()
      .optional()
      .describe('When calls that repeat without progress are warned of and stopped.'),
    policy: policySection.partial().optional().describe('Which profile holds, and what is always refused.'),
    security: securitySection
      .partial()
      .optional()
      .describe('Redaction, sources of secrets, blocked websites, and the scanner of commands.'),
    network: networkSection.partial().optional().describe('What may be connected to.'),
    exec: execSection.partial().optional().describe('Output of commands, and their records.'),
    audit: auditSection.partial().optional().describe('The chain of what was decided and run.'),
    pool: poolSection
      .partial()
      .optional()
      .describe('How many sandboxes are made at once, and which are made ahead of demand.'),
    server: serviceSection.partial().optional().describe('How `caisson serve` is reached.'),
    unauthorized_dm_behavior: strangersKey.optional(),
    group_sessions_per_user: groupSessionsKey.optional(),
    discord: discordSection.partial().optional().describe('Who is heard on Discord.'),
    email: platformSection.partial().optional().describe('Who is heard by e-mail.'),
    mattermost: platformSection.partial().optional().describe('Who is heard on Mattermost.'),
    signal: platformSection.partial().optional().describe('Who is heard on Signal.'),
    slack: platformSection.partial().optional().describe('Who is heard on Slack.'),
    telegram: platformSection.partial().optional().describe('Who is heard on Telegram.'),
    whatsapp: platformSection.partial().optional().describe('Who is heard on WhatsApp.'),
    backends: backendsKey.optional(),
    mcp_servers: serversKey.optional(),
    webhooks: webhooksKey.optional(),
    owners: ownersKey.optional(),
    registries: registriesKey.optional(),
    tasks: z
      .record(taskPattern, task)
      .optional()
      .describe(
        'Overrides of terminal keys by task id or pattern (* and ?); later entries win, an exact id wins over patterns. Also rules, tool_mode and network.',
      ),
  });
  const flags = document
    .omit(inFileOnly)
    .extend({ network: networkSection.omit({ allow_private: true }).partial().optional() });
  return { document, flags, sections: { terminal, ...others }, foreign: foreignOf(configs) };
}

/** Keys of other programs that the backends know, as they stand in the section terminal. */
function foreignOf(configs: BackendKeys['configs']): Readonly<Record<string, ForeignKey>> {
  const all = Object.entries(configs).map(([name, { foreign = {} }]) =>
    Object.entries(foreign).map(([key, said]) => [backendKey(name, key), said] as const),
  );
  return Object.fromEntries(all.flat());
}

async function backendShape(configs: BackendKeys['configs']): Promise<Readonly<Record<string, z.ZodType>>> {
  const shapes = await Promise.all(
    Object.entries(configs).map(async ([name, { schema }]) =>
      Object.entries(await schema()).map(
        ([key, type]) => [backendKey(name, key), buildZodType(type, `${name}: ${key}`)] as const,
      ),
    ),
  );
  return Object.fromEntries(shapes.flat());
}

/** A backend of somebody else's brings a zod of its own, so that its class is not looked at. */
function buildZodType(schema: KeySchema, where: string): z.ZodType {
  if (isZod(schema)) return schema;
  throw new CaissonError('invalid_argument', `the schema of the backend ${where} is not one of zod 4`);
}

function isZod(schema: unknown): schema is z.ZodType {
  return typeof schema === 'object' && schema !== null && '_zod' in schema && 'safeParse' in schema;
}

/** Types know the keys of core alone; values have all. */
function extended(section: typeof terminalSection, shape: Readonly<Record<string, z.ZodType>>): typeof terminalSection {
  return z.strictObject<typeof terminalSection.shape>({ ...shape, ...section.shape });
}
