/**
 * What a token that is bound to one task, or to one label, sees of what its owner has. Anything else is not there, with the words
 * for what does not exist. A label is looked up each time, since it may be taken away.
 */
import type { CaissonApi, SandboxChange, SandboxFilter, SandboxView } from '../api.ts';
import { CaissonError } from '../../errors.ts';
import { sandboxMissingError } from '../../sandbox/step.ts';
import type { Bounds } from '../../values/caller.ts';
import type { Labels } from '../../values/labels.ts';
import { isSandboxId } from '../../values/task.ts';
import type { Scope } from './scope.ts';
import { given } from '../../lib/given.ts';

interface TaskPlace {
  readonly taskId: string;
  readonly sandboxId?: string;
}

export class Bound {
  /** Whether it sees less than its owner. */
  readonly isBound: boolean;
  readonly #sandboxes: CaissonApi['sandboxes'];
  readonly #scope: Scope;
  readonly #task: string | null;
  readonly #labels: Labels | null;

  constructor(api: Pick<CaissonApi, 'sandboxes'>, scope: Scope, bounds: Bounds | null) {
    const { task = null, label = null } = bounds ?? {};
    this.#sandboxes = api.sandboxes;
    this.#scope = scope;
    this.#task = task === null ? null : scope.taskKey(task);
    this.#labels = label === null ? null : { [label.key]: label.value };
    this.isBound = task !== null || label !== null;
  }

  /**
   * A task id or a sandbox id, as core takes it. Of a token with a label always the sandbox id: the task may be made anew
   * without the label. Throws `not_found`.
   */
  async place(name: string): Promise<string> {
    const key = isSandboxId(name) ? name : this.#scope.taskKey(name);
    if (!isSandboxId(name) && (!this.isBound || key === this.#task)) return key;
    const found = await this.#find(key);
    if (found === null || (this.#task !== null && found.taskId !== this.#task)) throw sandboxMissingError(name);
    return found.id;
  }

  /** Throws `not_found` for a task that it may not make. */
  checkNew(taskId: string): void {
    if (this.#task !== null && this.#scope.taskKey(taskId) !== this.#task) throw sandboxMissingError(taskId);
  }

  /** Refuses labels from a token that is bound to one: it could leave its bounds, or let others in. Throws `permission_denied`. */
  checkLabels({ labels }: Pick<SandboxChange, 'labels'>): void {
    if (this.#labels !== null && labels !== undefined)
      throw new CaissonError('permission_denied', 'a token that is bound to a label sets no labels');
  }

  /** Whether something in a sandbox is there for it. Without a sandbox id, in the one that the task has. */
  async sees(placed: TaskPlace): Promise<boolean> {
    return (await this.seesSince(placed)) !== null;
  }

  /**
   * From when on it sees what happened there, RFC 3339; empty: from the beginning; `null`: nothing. What was before the sandbox
   * that the task has now was in another one, whose labels are not known.
   */
  async seesSince({ taskId, sandboxId }: TaskPlace): Promise<string | null> {
    if (this.#task !== null) return taskId === this.#task ? '' : null;
    if (this.#labels === null) return '';
    const found = await this.#find(sandboxId ?? taskId);
    if (found === null) return null;
    return sandboxId === undefined ? found.createdAt : '';
  }

  /** For lists: the task that is named, or the only one. */
  task(named: { readonly task?: string }): { readonly task?: string } {
    return this.#task === null || named.task !== undefined ? named : { task: this.#task };
  }

  /** For lists of execs: the sandboxes with its label. */
  async among(): Promise<{ readonly sandboxes?: readonly string[] }> {
    if (this.#labels === null) return {};
    const sandboxes: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await this.#sandboxes.list({
        ...this.#owned,
        limit: 1000,
        ...given({ cursor }),
      });
      sandboxes.push(...page.items.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    return { sandboxes };
  }

  /** Narrows a filter of sandboxes to the bounds. `null`: it wants another value of the token's own label, so that nothing matches. */
  filter(filter: SandboxFilter): SandboxFilter | null {
    if (this.#labels === null) return filter;
    const labels = { ...filter.labels, ...this.#labels };
    const differs = Object.entries(filter.labels ?? {}).some(([key, value]) => labels[key] !== value);
    return differs ? null : { ...filter, labels };
  }

  get #owned(): SandboxFilter {
    return { owner: this.#scope.owner, ...(this.#labels === null ? {} : { labels: this.#labels }) };
  }

  async #find(task: string): Promise<SandboxView | null> {
    const { items } = await this.#sandboxes.list({ ...this.#owned, task, limit: 1 });
    return items[0] ?? null;
  }
}
