/** Ids as one owner names them, and as core knows them. Pure: what goes in gets the owner's prefix, what comes out loses it. */
import { CaissonError, toCaissonError } from '../../errors.ts';
import { checkClientExecId } from '../../values/exec-id.ts';
import type { Where } from '../../values/exec-event.ts';
import { operator } from '../../values/caller.ts';
import { checkOwner, execIn, execKeyOf, ownerOf, ownerOfExec, taskIn, taskKeyOf } from '../../values/owner.ts';
import { checkTaskId } from '../../values/task.ts';

export class Scope {
  readonly owner: string;
  readonly #keys: RegExp;

  constructor(owner: string) {
    this.owner = checkOwner(owner);
    this.#keys = new RegExp(`(?<![A-Za-z0-9_./-])(exec_)?${owner}\\.(?=[A-Za-z0-9_-])`, 'g');
  }

  /** Throws `invalid_argument` for a malformed task id, such as a key. */
  taskKey(taskId: unknown): string {
    return taskKeyOf(this.owner, checkTaskId(taskId));
  }

  /** Throws `invalid_argument`. */
  execKey(execId: string): string {
    return execKeyOf(this.owner, checkClientExecId(execId));
  }

  has({ taskId }: { readonly taskId: string }): boolean {
    return ownerOf(taskId) === this.owner;
  }

  hasExec(execKey: string): boolean {
    return ownerOfExec(execKey) === this.owner;
  }

  exec(execKey: string): string {
    return this.hasExec(execKey) ? execIn(execKey) : execKey;
  }

  ofTask<T extends { readonly taskId: string }>(value: T): T {
    return this.has(value) ? { ...value, taskId: taskIn(value.taskId) } : value;
  }

  ofExec<T extends { readonly id: string; readonly where: Where }>(value: T): T {
    return { ...value, id: this.exec(value.id), where: this.ofTask(value.where) };
  }

  ofResult<T extends { readonly execId: string; readonly where: Where }>(value: T): T {
    return { ...value, execId: this.exec(value.execId), where: this.ofTask(value.where) };
  }

  /** Sentences of Caisson, never words of a client or a command. */
  text(sentence: string): string {
    return this.owner === operator ? sentence : sentence.replaceAll(this.#keys, (_key, exec?: string) => exec ?? '');
  }

  error(error: unknown): CaissonError {
    const { code, message, remedy, details } = toCaissonError(error);
    return new CaissonError(code, this.text(message), {
      cause: error,
      details: this.#translated(details),
      ...(remedy === null ? {} : { remedy: this.text(remedy) }),
    });
  }

  #translated(details: CaissonError['details']): CaissonError['details'] {
    return Object.fromEntries(Object.entries(details).map(([name, value]) => [name, this.#value(value)]));
  }

  #value<T>(value: T): T;
  #value(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((each: unknown) => this.#value(each));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, this.#value(each)]));
  }
}
