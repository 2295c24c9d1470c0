/** What a command is given of this host: variables that are passed on, and credential files. */
import { keptKey } from '../../inside/kept.ts';
import { type Context, type Handle, leasePatienceMs, type StepOptions } from '../../sandbox/context.ts';
import { withLease } from '../../sandbox/lease.ts';
import type { Plan } from '../../plan/types.ts';
import type { Broker } from '../../secrets/broker/broker.ts';
import { CredentialFiles, type CredentialState } from '../../secrets/credentials/files.ts';
import { stateDirectory } from '../../secrets/credentials/source.ts';
import { valuesIn } from '../../secrets/credentials/values.ts';
import type { Redactions } from '../../secrets/redactions.ts';
import { Skills } from '../../secrets/skills.ts';
import { passedEnv } from '../../values/env.ts';

export interface Origin {
  readonly cwd: string;
  /** Where values of forwarded names come from. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names that commands on this host inherit beside who and where. */
  readonly inherited: readonly string[];
  readonly redactions: Redactions;
  /** Where values come from that are not simply there. */
  readonly broker: Broker;
  /** Where skills are looked for by their names. */
  readonly skillDirectories: readonly string[];
  /** Judges a skill before it is used. */
  readonly admitSkill?: (file: string, text: string) => Promise<readonly string[]>;
  /** Names of variables that hold keys of Caisson itself. */
  readonly ownKeys: readonly string[];
}

/** For one command. */
export interface Provision {
  /** Names of host variables that it may see. */
  readonly variables: readonly string[];
  /** Those that have a value. */
  readonly env: Readonly<Record<string, string>>;
  /** Names that a skill wants and that are not set here. */
  readonly unset: readonly string[];
  /** Credential files of skills, as paths below the state directory. */
  readonly files: readonly string[];
  /** Sentences for people about the skills. */
  readonly notes?: readonly string[];
}

export const noProvision: Provision = { variables: [], env: {}, unset: [], files: [] };

export class Provisions {
  readonly #origin: Origin;
  readonly #skills: Skills;
  readonly #files: CredentialFiles;

  constructor(context: Context, origin: Origin) {
    this.#origin = origin;
    this.#skills = new Skills({
      ...origin,
      directories: origin.skillDirectories,
      ...(origin.admitSkill === undefined ? {} : { admit: origin.admitSkill }),
      sourced: (name) => origin.broker.has(name),
    });
    this.#files = new CredentialFiles({
      home: context.home,
      source: origin.broker.credentials(stateDirectory(context.home)),
      locked: (id, work) => withLease(context.store, `credentials:${id}`, { waitMs: leasePatienceMs }, work),
      seen: (path, bytes) => origin.redactions.declare(valuesIn(path, bytes)),
    });
  }

  async of(plan: Plan, skills: readonly string[]): Promise<Provision> {
    const {
      set,
      missing,
      files,
      cautions: notes = [],
    } = await this.#skills.load(plan, { configured: plan.skills, asked: skills });
    const variables = [...plan.forwardEnv, ...plan.passEnv, ...set];
    return { variables, env: await this.#values(variables), unset: missing, files, notes };
  }

  async #values(variables: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const { env, ownKeys, broker } = this.#origin;
    const passed = passedEnv(variables, env, ownKeys);
    return variables.some((name) => broker.has(name)) ? { ...passed, ...(await broker.variables(variables)) } : passed;
  }

  /** Places the credential files of a command in its sandbox. Returns no promise when nothing has changed. */
  place(
    { row, sandbox }: Handle,
    { guarantees, credentials }: Plan,
    { signal }: StepOptions,
  ): CredentialState | Promise<CredentialState> {
    const place = {
      sandbox,
      sandboxId: row.id,
      mode: guarantees.credentials,
      key: keptKey(guarantees.isolation, row.id),
      directory: credentials.directory,
      signal,
    };
    return this.#files.before(place, credentials);
  }
}

/** A sandbox that is made for this command has a place for the files of its skills. */
export function withFiles(plan: Plan, { files }: Provision): Plan {
  return files.length === 0 ? plan : { ...plan, credentials: { ...plan.credentials, bySkills: files } };
}
