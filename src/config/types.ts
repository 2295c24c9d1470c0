/** What the rest of Caisson sees of the configuration. Types only: nothing is loaded by importing this. */
import type { z } from 'zod';
import type {
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
  Schema,
  serviceSection,
  terminalSection,
} from './schema.ts';

/** Keys of backends are there too, beyond what types know: `plan/backend-keys.ts` reads them. */
export type Terminal = Readonly<z.infer<typeof terminalSection>>;

/** The sections in which a key has one value, each with its default. Key names are those of the file. */
export interface Settings {
  readonly terminal: Terminal;
  readonly approvals: Readonly<z.infer<typeof approvalsSection>>;
  readonly acp: Readonly<z.infer<typeof acpSection>>;
  readonly hooks: Readonly<z.infer<typeof hooksSection>>;
  readonly tool_loop_guardrails: Readonly<z.infer<typeof guardrailsSection>>;
  readonly policy: Readonly<z.infer<typeof policySection>>;
  readonly security: Readonly<z.infer<typeof securitySection>>;
  readonly network: Readonly<z.infer<typeof networkSection>>;
  readonly exec: Readonly<z.infer<typeof execSection>>;
  readonly audit: Readonly<z.infer<typeof auditSection>>;
  readonly pool: Readonly<z.infer<typeof poolSection>>;
  readonly server: Readonly<z.infer<typeof serviceSection>>;
  readonly discord: Readonly<z.infer<typeof discordSection>>;
  readonly email: Platform;
  readonly mattermost: Platform;
  readonly signal: Platform;
  readonly slack: Platform;
  readonly telegram: Platform;
  readonly whatsapp: Platform;
}

type Platform = Readonly<z.infer<typeof platformSection>>;

export type SectionName = keyof Settings;

export type PoolEntry = Settings['pool']['entries'][string];

/** The file as it may be written: everything is optional. */
export type Document = z.infer<Schema['document']>;

/** Keys that stand beside the sections. They are said in the file only. */
export interface Unsectioned {
  /** Paths of modules by the names of backends. */
  readonly backends: Readonly<Record<string, string>>;
  /** What is not asked about any more, as the file has it. */
  readonly command_allowlist: readonly string[];
  readonly unauthorized_dm_behavior: 'pair' | 'ignore' | null;
  readonly group_sessions_per_user: boolean;
  /** Values of their variables may be secrets. */
  readonly mcp_servers: Readonly<NonNullable<Document['mcp_servers']>>;
  /** Their addresses may hold secrets. */
  readonly webhooks: Readonly<NonNullable<Document['webhooks']>>;
  /** What owners of the service may have, by name. */
  readonly owners: Readonly<NonNullable<Document['owners']>>;
  /** Logins to registries of images, by host. */
  readonly registries: Readonly<NonNullable<Document['registries']>>;
  /** Overrides of `terminal`, and rules, by task id or pattern, in the order of the file. */
  readonly tasks: Readonly<NonNullable<Document['tasks']>>;
}

export interface Config extends Settings, Unsectioned {}

/** Values from the command line, by section and key. They win over everything else. */
export type Flags = {
  readonly [S in SectionName]?: { readonly [K in keyof Settings[S]]?: Settings[S][K] | undefined };
};

export interface TaskTerminal {
  readonly terminal: Terminal;
  /**
   * `flag`, `env NAME`, `env NAME at FILE:LINE`, `task PATTERN at FILE:LINE`, `file FILE:LINE` or `default`.
   */
  readonly originOf: (key: keyof Terminal) => string;
}

/** One object while the service runs: reading the file again replaces `config`, `origins` and `source`. */
export interface Loaded {
  /** The state directory, absolute. It exists, and no other user can write to it. */
  readonly home: string;
  readonly config: Config;
  /** Keys of the file that have no effect here, for people. */
  readonly notices: readonly string[];
  /** Mark of the text of the file, by `sourceOf`. */
  readonly source: string;
  /** Origin of each value by its dotted key, `terminal.timeout`, or by name, `tasks`, outside of sections. Overrides of tasks have none. */
  readonly origins: Readonly<Record<string, string>>;
  /** The environment with what `.env` adds to it: where values of forwarded variables come from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly forTask: (taskId: string) => TaskTerminal;
}
