/** A type of the package, whose types name no schema. */

/** All lists are empty, and `problem` is `null`, where the file says what was read. */
export interface Pending {
  /** What the file asks about or denies, and holds already: `approvals.rules.deny: terminal(make:*)`, `network.deny: example.com`. */
  readonly holds: readonly string[];
  /** Rules and denied hosts that a reload would drop, and permissions that it would add. */
  readonly loosens: readonly string[];
  /** Keys that a reload takes up. */
  readonly reload: readonly string[];
  /** Keys that hold when the service is started again. */
  readonly restart: readonly string[];
  /** Why nothing of the file is taken up: it is not valid, or cannot be read. */
  readonly problem: string | null;
}
