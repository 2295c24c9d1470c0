/** Sandboxes of Daytona's service, by its official SDK. */
import type {
  Account as AccountFacet,
  Backend,
  Cancelable,
  Check,
  CreateOptions,
  Guarantees,
  Listed,
  ListOptions,
  OpenOptions,
  Ref,
  Sandbox,
  Spec,
} from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { throwIfAborted, untilAborted } from '../shared/abort.ts';
import { refuseMore } from '../shared/refuse-more.ts';
import { Account } from './account.ts';
import { toCheck, toFailedCheck } from './check.ts';
import { createSandbox } from './create.ts';
import { guaranteesOf } from './guarantees.ts';
import { fromService, ofInstance, resourceState } from './records.ts';
import { entryOf, listAll } from './running.ts';
import { DaytonaSandbox, refOf } from './sandbox.ts';
import { present } from './settle.ts';

/** Does no I/O. */
export function open(options: OpenOptions): Backend {
  return new DaytonaBackend(options);
}

class DaytonaBackend implements Backend {
  readonly name = 'daytona';
  readonly account: AccountFacet = {
    list: async (options = {}) => {
      throwIfAborted(options);
      return (await listAll(this.#account, null, options)).map(entryOf);
    },
  };
  readonly #account: Account;

  constructor(options: OpenOptions) {
    this.#account = new Account(options);
  }

  /** They are the service's own, and the same for every account. */
  async guarantees(options: Cancelable = {}): Promise<Guarantees> {
    throwIfAborted(options);
    // Without a key nothing is promised: no sandbox is recorded that could never be made, nor removed.
    await untilAborted(this.#account.client(), options.signal);
    return guaranteesOf(this.#account.settings);
  }

  async check(options: Cancelable = {}): Promise<Check> {
    throwIfAborted(options);
    try {
      return toCheck(this.#account, await listAll(this.#account, null, options));
    } catch (error) {
      throwIfAborted(options);
      return toFailedCheck(error);
    }
  }

  async create(spec: Spec, options: CreateOptions): Promise<Sandbox> {
    throwIfAborted(options);
    refuseMore(guaranteesOf(this.#account.settings), spec);
    return new DaytonaSandbox(this.#account, await createSandbox(this.#account, spec, options));
  }

  async attach(ref: Ref, options: Cancelable = {}): Promise<Sandbox> {
    throwIfAborted(options);
    const { id, v } = ref;
    if (v !== 1 || typeof id !== 'string')
      throw new CaissonError('invalid_argument', 'this is no reference to a Daytona sandbox', {});
    return new DaytonaSandbox(this.#account, await present(this.#account, id, options));
  }

  async list(options: ListOptions): Promise<readonly Listed[]> {
    throwIfAborted(options);
    const found = await listAll(this.#account, ofInstance(options.instance), options);
    return found.flatMap((handle) => {
      const labels = fromService(handle.labels);
      return labels === null ? [] : [{ ref: refOf(handle), labels, state: resourceState(handle.state) }];
    });
  }

  async close(): Promise<void> {
    await this.#account.close();
  }
}
