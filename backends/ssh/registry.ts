/** Registrations on the host, through one script. */
import type { Labels, ResourceState } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { shellText } from '../../src/lib/script.ts';
import { labelsFrom, parseJson } from '../shared/labels.ts';
import type { Pool } from './pool.ts';
import { run } from './run.ts';
import { parseScope, type Scope } from './scope.ts';

/** Exit codes of registry.sh. */
const codes = { gone: 40, taken: 41, outlived: 42, unwritable: 43, full: 44 } as const;

/** The place where one sandbox is registered. All of it is in its ref. */
export interface Entry {
  readonly directory: string;
  readonly name: string;
  readonly sandbox: string;
  /** The task's own. */
  readonly workspace: string;
  /** `null`: without limits. */
  readonly scope: Scope | null;
}

export interface Registered {
  readonly name: string;
  readonly labels: Labels;
  readonly state: ResourceState;
  readonly scope: Scope | null;
}

export interface RegistryRequest {
  readonly entry: Entry;
  readonly labels: Labels;
  /** Whether the task's directory outlives the sandbox. */
  readonly keep: boolean;
  /** How many registrations there may be. `null`: any number. */
  readonly capacity: number | null;
}

export interface Load {
  readonly sandboxes: number;
  /** A registration of this name, or the task's directory. */
  readonly holds: boolean;
}

export class Registry {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  /**
   * Makes it, or finds the same one, or replaces one of an older spec. Throws `conflict` for another sandbox's name,
   * `resource_exhausted` when the host is full.
   */
  async create({ entry, labels, keep, capacity }: RegistryRequest): Promise<void> {
    const more = [
      keep ? 'keep' : 'drop',
      labels.fingerprint,
      JSON.stringify(labels),
      entry.workspace,
      entry.scope ?? '-',
      String(capacity ?? ''),
    ];
    await this.#run('create', entry, more);
  }

  async load(entry: Entry): Promise<Load> {
    const [count = '', holds = ''] = (await this.#run('load', entry, [entry.workspace])).split(/\s+/);
    return { sandboxes: Number(count), holds: holds === 'holds' };
  }

  /** Throws `not_found` when it is gone, or the name is another sandbox's by now. */
  async read(entry: Entry, signal?: AbortSignal): Promise<ResourceState> {
    const [state = ''] = (await this.#run('read', entry, [], signal)).split('\n');
    return stateOf(state);
  }

  async start(entry: Entry): Promise<void> {
    await this.#run('start', entry);
  }

  async stop(entry: Entry): Promise<void> {
    await this.#run('stop', entry);
  }

  async destroy(entry: Entry): Promise<void> {
    await this.#run('destroy', entry, [entry.workspace]);
  }

  /** Files that Caisson did not write are left out: they are no sandboxes. */
  async list(directory: string, instance: string, signal?: AbortSignal): Promise<readonly Registered[]> {
    const said = await this.#run('list', { directory, name: '', sandbox: '', workspace: '', scope: null }, [], signal);
    return said.split('\n').flatMap((line) => {
      const [name = '', state = '', scope = '', json = ''] = line.split('\t');
      const labels = labelsFrom(parseJson(json));
      return labels?.instance === instance ? [{ name, labels, state: stateOf(state), scope: parseScope(scope) }] : [];
    });
  }

  async #run(mode: string, entry: Entry, more: readonly string[] = [], signal?: AbortSignal): Promise<string> {
    const { directory, name, sandbox } = entry;
    const args = [mode, directory, name, sandbox, sandbox.replaceAll('.', String.raw`\.`), ...more];
    const { code, stdout, stderr } = await run(this.#pool, {
      script: shellText('backends/ssh/registry'),
      args,
      signal,
    });
    if (code === 0) return stdout;
    throw registryError(code, entry, stderr);
  }
}

function registryError(code: number | null, { name, sandbox, directory }: Entry, stderr: string): CaissonError {
  const details = { sandbox, said: stderr.slice(0, 300) };
  if (code === codes.gone) return new CaissonError('not_found', `sandbox ${sandbox} is gone`, { details: { sandbox } });
  if (code === codes.taken)
    return new CaissonError('conflict', `the name ${name} belongs to another sandbox`, {
      details: { sandbox },
      remedy: 'choose another name',
    });
  if (code === codes.full)
    return new CaissonError('resource_exhausted', 'the host takes no more sandboxes (capacity in terminal.ssh_hosts)', {
      remedy: 'remove one, or raise the capacity',
    });
  if (code === codes.outlived)
    return new CaissonError('unavailable', `processes of ${sandbox} outlive SIGKILL`, {
      details,
      remedy: 'they hang in the kernel or belong to another user: end them by hand, then remove the sandbox again',
    });
  return new CaissonError('failed_precondition', `the host cannot keep registrations in ${directory}`, {
    details: { ...details, code },
    remedy: 'look at the mode and the free space of that directory',
  });
}

function stateOf(word: string): ResourceState {
  return word === 'running' || word === 'stopped' ? word : 'unknown';
}
