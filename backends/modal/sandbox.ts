import type { Cancelable, ExecOptions, Process, PtyProcess, Ref, ResourceState, Sandbox } from '../../src/backend.ts';
import { CaissonError } from '../../src/errors.ts';
import { throwIfAborted } from '../shared/abort.ts';
import type { ModalAccount } from './account.ts';
import { limitTo } from './egress.ts';
import { codeOf, modalError } from './fault.ts';
import { deleteImage, endSandbox, settled } from './life.ts';
import { endLeftovers, start, stop } from './power.ts';
import { type Record, toRef } from './record.ts';
import { type Launch, startProcess } from './start.ts';

/** A sandbox that runs at Modal, or the snapshot that it was stopped into. */
export class ModalSandbox implements Sandbox {
  readonly relay = true;
  readonly keepsInput = true;
  readonly place: Sandbox['place'];
  readonly lost?: NonNullable<Sandbox['lost']>;
  readonly power: NonNullable<Sandbox['power']> = {
    stop: async (options) => {
      this.#record = await stop(this.#account, this.#record, options);
    },
    start: async (options) => {
      this.#record = await start(this.#account, this.#record, options);
    },
  };
  readonly pty: NonNullable<Sandbox['pty']> = {
    exec: async (command, options) => await this.#start({ command, options, stdin: true, terminal: options }),
  };
  readonly egress: NonNullable<Sandbox['egress']> = {
    replace: async (hosts, options = {}) => {
      throwIfAborted(options);
      if (this.#record.stopped) throw stoppedError(this.#record);
      await limitTo(this.#account, this.#record.id, hosts);
    },
  };
  readonly #account: ModalAccount;
  #record: Record;

  constructor(account: ModalAccount, record: Record & { readonly lost?: true }, host: string) {
    this.#account = account;
    const { lost, ...kept } = record;
    this.#record = kept;
    this.place = { host, resource: record.id, imageDigest: null };
    if (lost === true) this.lost = { since: record.taken ?? record.labels.created };
  }

  get ref(): Ref {
    return toRef(this.#record);
  }

  get state(): ResourceState {
    return this.#record.stopped ? 'stopped' : 'running';
  }

  async exec(command: readonly [string, ...string[]], options: ExecOptions): Promise<Process> {
    return await this.#start({ command, options, stdin: options.stdin, terminal: null });
  }

  /** The sandbox first: a snapshot that is left is found by its ref alone, which is there until this has resolved. */
  async destroy(options: Cancelable = {}): Promise<void> {
    throwIfAborted(options);
    const record = this.#record;
    await endSandbox(this.#account, { ...record, image: null });
    if (record.stopped) await endLeftovers(this.#account, { ...record, image: null });
    for (const image of [record.image, record.older]) if (image !== null) await deleteImage(this.#account, image);
  }

  async #start(launch: Launch): Promise<PtyProcess> {
    throwIfAborted(launch.options);
    if (this.#record.stopped) throw stoppedError(this.#record);
    try {
      return await this.#startOnce(launch);
    } catch (error) {
      throwIfAborted(launch.options);
      if (codeOf(error) !== 'not_found') throw modalError(error, 'start the command');
      // It may have been ended meanwhile, which says more.
      if ((await settled(this.#account, this.#record)).stopped) throw stoppedError(this.#record);
      throw modalError(error, 'start the command');
    }
  }

  /** A command that was refused for its token has not started: another token may be had. */
  async #startOnce(launch: Launch): Promise<PtyProcess> {
    const { id } = this.#record;
    try {
      return await startProcess(await this.#account.handle(id), launch);
    } catch (error) {
      if (codeOf(error) !== 'unauthenticated') throw error;
      this.#account.renew();
      return await startProcess(await this.#account.handle(id), launch);
    }
  }
}

function stoppedError({ labels: { sandbox } }: Record): CaissonError {
  return new CaissonError('failed_precondition', `sandbox ${sandbox} does not run`, { remedy: 'start it first' });
}
