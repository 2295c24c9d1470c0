/**
 * Answers that hold for more than one command of a task. They are rows of the store, so that they hold across processes,
 * end with the sandbox of the task, and can be taken back from anywhere: nothing of them is kept in memory.
 */
import { randomBytes } from 'node:crypto';
import { grantedBy } from '../policy/approval/needed.ts';
import { created, everyRow } from '../store/pages.ts';
import type { GrantRow, Store } from '../store/store.ts';
import type { Question } from './types.ts';
import { given } from '../lib/given.ts';

type GrantStore = Pick<Store, 'grants' | 'steadyNow'>;

interface GrantInput {
  readonly question: Question;
  /** Identity of the exact command. */
  readonly binding: string;
  /** Version of the rules by which it was asked for. */
  readonly rules: string;
  readonly choice: 'session' | 'always';
  readonly by: string;
}

export class Grants {
  readonly #store: GrantStore;
  /** `null`: a grant ends with its sandbox only. */
  readonly #seconds: () => number | null;

  constructor(store: GrantStore, seconds: () => number | null) {
    this.#store = store;
    this.#seconds = seconds;
  }

  /** What is granted to a task under these rules. */
  async keys(taskId: string, rules: string): Promise<ReadonlySet<string>> {
    const grants = await this.list(taskId);
    const holding = grants.filter((grant) => grant.rules === rules);
    return new Set(holding.flatMap(({ keys }) => keys));
  }

  async give({ question, binding, rules, choice, by }: GrantInput): Promise<void> {
    const { taskId, findings, display } = question;
    // "always" has its rules; what they do not cover (a mode that asks) is granted for this command alone.
    const granted = grantedBy(findings, binding).filter(({ isExact }) => choice === 'session' || isExact);
    if (granted.length === 0) return;
    const now = this.#store.steadyNow();
    const seconds = this.#seconds();
    const covers = granted.map(({ covers: each, isExact }) => (isExact ? `only ${oneLine(display)}` : each));
    await this.#store.grants.insert({
      id: `grt_${randomBytes(12).toString('hex')}`,
      taskId,
      rules,
      keys: [...new Set(granted.map(({ key }) => key))],
      covers: [...new Set(covers)],
      grantedBy: by,
      createdAt: now,
      expiresAt: seconds === null ? null : now + Math.ceil(seconds * 1000),
    });
  }

  /** Grants that hold, of one task or of all. */
  list(taskId?: string): Promise<readonly GrantRow[]> {
    const task = given({ taskId });
    return Array.fromAsync(everyRow((page) => this.#store.grants.list({ ...task, ...page }), created));
  }

  /** Answers the grant that was deleted, or `null`. */
  async revoke(id: string): Promise<GrantRow | null> {
    const grant = await this.#store.grants.find(id);
    return grant !== null && (await this.#store.grants.delete(id)) ? grant : null;
  }
}

const oneLine = (display: string): string => display.split('\n').join(' ');
