/** Places of which there are only so many, such as those for running commands. */
export interface Places {
  /**
   * Takes one of `max` places of a group for this holder, in one transaction with a look at those that live holders and
   * detached processes have. False when all are taken. A place ends with its holder.
   */
  take(group: string, place: string, max: number): Promise<boolean>;
  /** Idempotent. */
  give(group: string, place: string): Promise<void>;
  /** A detached process takes it over. It no longer ends with its holder, but when it is given back, or the id retired or deleted. */
  keep(group: string, place: string, execId: string): Promise<void>;
  /** Exec ids of the detached processes that have a place of the group. */
  kept(group: string): Promise<readonly string[]>;
  /**
   * Frees places of ended processes, in all groups. `sandboxId`: only those of this sandbox, which names the ids itself. Idempotent;
   * writes nothing where none of them has a place.
   */
  giveKept(execIds: readonly string[], sandboxId?: string): Promise<void>;
}
