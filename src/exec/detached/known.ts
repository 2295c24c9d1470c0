/**
 * Which sandbox a detached process is in, by its id. A signpost only: what the process does and did is asked of the
 * sandbox itself. Written before the process is started. Ids are those of all execs: one id is one command.
 */
import { CaissonError } from '../../errors.ts';
import { everyRow, started } from '../../store/pages.ts';
import type { ExecRow, Store } from '../../store/store.ts';

type ExecStore = Pick<Store, 'execs' | 'steadyNow'>;

export type NewProcess = Pick<ExecRow, 'id' | 'taskId' | 'sandboxId' | 'backend' | 'request'>;

export class KnownProcesses {
  readonly #store: ExecStore;

  constructor(store: ExecStore) {
    this.#store = store;
  }

  /**
   * True when the id is this process's now, false when the same request had it before. Throws `already_exists` for the id
   * of an exec, `conflict` for that of another request.
   */
  async add(known: NewProcess): Promise<boolean> {
    const row = { ...known, kind: 'detached', startedAt: this.#store.steadyNow() } as const;
    const present = await this.#store.execs.insert(row);
    if (present === null) return true;
    refuseOther(present, known);
    if (present.kind === 'exec') throw wasExecError(known.id);
    return false;
  }

  async find(id: string): Promise<ExecRow | null> {
    const row = await this.#store.execs.find(id);
    return row?.kind === 'detached' ? row : null;
  }

  /** In all sandboxes, or in one. */
  async all(sandboxId?: string): Promise<readonly ExecRow[]> {
    const place = sandboxId === undefined ? {} : { sandboxId };
    return await Array.fromAsync(everyRow((page) => this.#store.execs.detached({ ...place, ...page }), started));
  }

  /** It has ended, and its sandbox knows nothing of it any more. The id stays taken. */
  async retire(id: string): Promise<void> {
    if ((await this.find(id)) !== null) await this.#store.execs.retire(id);
  }

  /** Nothing of it was started. */
  async forget(id: string): Promise<void> {
    if ((await this.find(id)) !== null) await this.#store.execs.delete(id);
  }
}

/**
 * The message does not say what the id stands for: the caller may have no part in it. Of a row that was made from a record,
 * the task alone is known, and compared.
 */
export function refuseOther(
  present: ExecRow,
  {
    id,
    request,
    taskId,
  }: { readonly id: string; readonly request: string | null; readonly taskId: string | undefined },
): void {
  if (present.request === null ? present.taskId === taskId : present.request === request) return;
  throw new CaissonError('conflict', `${id} was used for another request`, {
    remedy: 'repeat the request as it was, or choose another id',
    details: { execId: id },
  });
}

function wasExecError(id: string): CaissonError {
  return new CaissonError('already_exists', `${id} has been started before, and not as a detached process`, {
    remedy: 'its record shows what became of it; choose another id to start it again',
    details: { execId: id },
  });
}

export function isDetachedError(id: string): CaissonError {
  return new CaissonError('already_exists', `${id} is a detached process`, {
    remedy: 'use `caisson wait` and `caisson logs`; choose another id to run something else',
    details: { execId: id },
  });
}
