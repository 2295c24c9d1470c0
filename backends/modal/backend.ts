/** Sandboxes of Modal, by its official SDK: a service that runs them, keeps their files as snapshots, and sends a bill. */
import type {
  Account,
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
import { ModalAccount } from './account.ts';
import { accountEntries, checkAccount, toFailedCheck } from './check.ts';
import { guarantees, planOf } from './guarantees.ts';
import { resolveImage, type Making, makeSandbox, settled, type NewRecord } from './life.ts';
import { makeDirectory } from './reach.ts';
import { fromRef, fromTags, instanceTag, type Record, toRef } from './record.ts';
import { ModalSandbox } from './sandbox.ts';

/** Does no I/O, and loads no SDK. */
export function open(options: OpenOptions): Backend {
  return new ModalBackend(options);
}

class ModalBackend implements Backend {
  readonly name = 'modal';
  readonly account: Account = {
    list: async (options = {}) => {
      throwIfAborted(options);
      return await untilAborted(accountEntries(this.#account), options.signal);
    },
  };
  readonly #account: ModalAccount;

  constructor(options: OpenOptions) {
    this.#account = new ModalAccount(options);
  }

  async guarantees(options: Cancelable = {}): Promise<Guarantees> {
    throwIfAborted(options);
    await untilAborted(this.#account.app(), options.signal);
    return guarantees;
  }

  async check(options: Cancelable = {}): Promise<Check> {
    throwIfAborted(options);
    try {
      return await untilAborted(checkAccount(this.#account), options.signal);
    } catch (error) {
      throwIfAborted(options);
      return toFailedCheck(error);
    }
  }

  async create(spec: Spec, options: CreateOptions): Promise<Sandbox> {
    throwIfAborted(options);
    refuseMore(guarantees, spec);
    if (spec.image === null) throw new CaissonError('invalid_argument', 'a sandbox at Modal needs an image');
    const image = await untilAborted(resolveImage(this.#account, spec.image, options.onProgress), options.signal);
    throwIfAborted(options);
    const { labels, name } = options;
    const wanted: NewRecord = { name, labels, plan: planOf(spec), image: null, taken: null };
    const making = this.#make(wanted, { image, hosts: options.egress ?? [], cwd: spec.cwd });
    try {
      return await this.#sandbox(await untilAborted(making, options.signal));
    } catch (error) {
      // What is on its way at the service is ended when it is there.
      if (options.signal?.aborted) await making.then((made) => this.#destroy(made)).catch(() => undefined);
      throw error;
    }
  }

  async attach(ref: Ref, options: Cancelable = {}): Promise<Sandbox> {
    throwIfAborted(options);
    const record = fromRef(ref);
    return await this.#sandbox(await untilAborted(settled(this.#account, record), options.signal));
  }

  /** What runs. One that is stopped is a snapshot, which the service lists nowhere: core has its ref. */
  async list(options: ListOptions): Promise<readonly Listed[]> {
    throwIfAborted(options);
    const app = await this.#account.app();
    const entries = await untilAborted(
      this.#account.running(app.appId, { [instanceTag]: options.instance }),
      options.signal,
    );
    return entries.flatMap(({ id, name, tags }) => {
      const record = fromTags(id, name, tags);
      return record === null ? [] : [{ ref: toRef(record), labels: record.labels, state: 'running' as const }];
    });
  }

  async close(): Promise<void> {
    await this.#account.close();
  }

  /** Makes the directory of the task too, which an image need not have. */
  async #make(wanted: NewRecord, { cwd, ...making }: Making & { readonly cwd: string }): Promise<Record> {
    const made = await makeSandbox(this.#account, wanted, making);
    try {
      await makeDirectory(await this.#account.handle(made.id), cwd);
      return made;
    } catch (error) {
      await this.#destroy(made).catch(() => undefined);
      throw error;
    }
  }

  async #sandbox(record: Awaited<ReturnType<typeof settled>>): Promise<Sandbox> {
    return new ModalSandbox(this.#account, record, await this.#account.host());
  }

  async #destroy(record: Record): Promise<void> {
    await (await this.#sandbox(record)).destroy();
  }
}
