/** What a command is given of this host: variables that are passed on, and credential files. */
import { keptKey } from '../../inside/kept.ts';
import { type Context, type Handle, leaseTimeoutMs, type StepOptions } from '../../sandbox/context.ts';
import { withLease } from '../../sandbox/lease.ts';
import type { Plan } from '../../plan/types.ts';
import type { Broker } from '../../secrets/broker/broker.ts';
import { CredentialFiles, type CredentialState } from '../../secrets/credentials/files.ts';
import { type CredentialSource, filesOfHost, stateDirectory } from '../../secrets/credentials/source.ts';
import { valuesIn } from '../../secrets/credentials/values.ts';
import { type Granted, ownedSources, ownedVariables } from '../../secrets/owned.ts';
import type { Redactions } from '../../secrets/redactions.ts';
import { Skills } from '../../secrets/skills.ts';
import { operator } from '../../values/caller.ts';
import { passedEnv } from '../../values/env.ts';
import { ownerOf } from '../../values/owner.ts';

export interface Origin {
  readonly cwd: string;
  /** Environment from which forwarded names take their values. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Names that commands on this host inherit beside who and where. */
  readonly inherited: readonly string[];
  readonly redactions: Redactions;
  /** Source of values that the environment does not hold, such as those of a secret manager. */
  readonly broker: Broker;
  /** Directories in which skills are looked for by their names. */
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
  readonly #context: Context;
  readonly #origin: Origin;
  readonly #skills: Skills;
  /** Credential files by owner: a path of one owner names another file than the same path of another owner. */
  readonly #files = new Map<string, CredentialFiles>();

  constructor(context: Context, origin: Origin) {
    this.#context = context;
    this.#origin = origin;
    this.#skills = new Skills({
      ...origin,
      directories: origin.skillDirectories,
      ...(origin.admitSkill === undefined ? {} : { admit: origin.admitSkill }),
      sourced: (name) => origin.broker.has(name),
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
    const own = ownedVariables(this.#granted(ownerOf(plan.taskId)), this.#origin);
    return {
      variables: [...variables, ...Object.keys(own.env)],
      env: { ...plan.setEnv, ...(await this.#values(variables)), ...own.env },
      unset: [...missing, ...own.unset],
      files,
      notes,
    };
  }

  #granted(owner: string): Granted {
    return (owner === operator ? undefined : this.#context.allowed(owner).secrets) ?? {};
  }

  async #values(variables: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const { env, ownKeys, broker } = this.#origin;
    const others = ownedSources(this.#context.registries.owners);
    const passed = passedEnv(variables, env, [...ownKeys, ...others]);
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
    return this.#filesOf(ownerOf(row.taskId)).before(place, credentials);
  }

  #filesOf(owner: string): CredentialFiles {
    const { home, store } = this.#context;
    const { redactions } = this.#origin;
    const files =
      this.#files.get(owner) ??
      new CredentialFiles({
        home,
        source: this.#sourceOf(owner),
        locked: (id, work) => withLease(store, `credentials:${id}`, { waitMs: leaseTimeoutMs }, work),
        seen: (path, bytes) => redactions.of(owner).declare(valuesIn(path, bytes)),
      });
    this.#files.set(owner, files);
    return files;
  }

  #sourceOf(owner: string): CredentialSource {
    if (owner === operator) return this.#origin.broker.credentials(stateDirectory(this.#context.home));
    return filesOfHost(this.#context.home, () => this.#granted(owner).files ?? {});
  }
}

/** A sandbox that is made for this command has a place for the files of its skills. */
export function withFiles(plan: Plan, { files }: Provision): Plan {
  return files.length === 0 ? plan : { ...plan, credentials: { ...plan.credentials, bySkills: files } };
}
