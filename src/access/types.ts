/** What the room of access takes and tells. */

/** The sender of a message, by the words of the platform: all of it may be made up by a stranger but the ids. */
export interface Sender {
  /** The id by which people know this person there first; then others that the platform has for the same person. */
  readonly ids: readonly [string, ...string[]];
  /** For people who look at the list; no decision reads it. */
  readonly name?: string;
}

export interface Channel {
  /** Id of the channel or thread on its platform. */
  readonly id: string;
  /** Channel in which this thread is. Absent: it is not a thread. */
  readonly parent?: string;
}

export interface Message {
  /** Name such as `telegram`: lower-case letters, digits and underscores. */
  readonly platform: string;
  /** Person who wrote it, by ids that the platform vouches for. */
  readonly from: Sender;
  /** `null`: a direct message. Where several people read along it is a channel, also when the platform says group. */
  readonly channel: Channel | null;
  /** How it is said to the agent: it mentions it, or is a command to it. No matter in direct messages. */
  readonly addressed: 'mention' | 'command' | null;
}

/** Rules by which somebody may talk, in the order in which they are asked. `none`: no rule lets them. */
export type Rule =
  | 'platform-allow-all'
  | 'paired'
  | 'platform-allowlist'
  | 'global-allowlist'
  | 'global-allow-all'
  | 'none';

/** Why a stranger who would get a code gets none now. */
export type Silence = 'asked-lately' | 'too-many-pending' | 'locked-out';

/**
 *   heard     it is for the agent; the answer goes where the message is, or to a new thread on it
 *   pair      send the code to its sender, and to no other place: no log, no record
 *   ignored   no answer
 */
export type Hearing =
  | {
      readonly what: 'heard';
      readonly rule: Exclude<Rule, 'none'>;
      readonly answer: 'here' | 'thread';
      /** Directory in which its commands start: MESSAGING_CWD. Absent: the usual one. */
      readonly cwd?: string;
    }
  | { readonly what: 'pair'; readonly code: string; readonly expiresAt: string }
  | { readonly what: 'ignored'; readonly why: 'not-addressed' | 'not-allowed' | Silence };

/** A request that waits for somebody who approves its code. The code itself is nowhere. */
export interface PendingView {
  /** Id of the request, which shows nothing of its code. */
  readonly id: string;
  /** Platform of the message, such as `telegram`. */
  readonly platform: string;
  /** Ids of the person there; the first is the one that people know. */
  readonly ids: readonly string[];
  /** Name that the platform gave. `null`: none. */
  readonly name: string | null;
  /** RFC 3339, UTC. */
  readonly askedAt: string;
  /** RFC 3339, UTC. The code is worth nothing afterwards. */
  readonly expiresAt: string;
}

export interface PairedView {
  /** Platform on which the person may talk. */
  readonly platform: string;
  /** Ids of the person there; any of them lets the person in. */
  readonly ids: readonly string[];
  /** Name that the platform gave. `null`: none. */
  readonly name: string | null;
  /** RFC 3339, UTC. */
  readonly pairedAt: string;
  /** Who approved it. */
  readonly by: string;
}

export interface PairingView {
  /** Requests that wait, oldest first. */
  readonly pending: readonly PendingView[];
  /** People who may talk. */
  readonly paired: readonly PairedView[];
  /** Platforms that approve nothing now, because too many codes were wrong. */
  readonly lockedOut: readonly { readonly platform: string; readonly until: string }[];
}

export interface Revoked {
  /** Person who is not paired any more. */
  readonly user: PairedView;
  /** What still lets them in: a list of users, or a flag. `none`: nothing does. */
  readonly still: Rule;
}

/** What front ends may ask. */
export interface AccessApi {
  /**
   * What becomes of a message, by the configuration, the variables of this process and who is paired now. Throws
   * `failed_precondition` when that cannot be known: no message may be heard then. For the process that brings the messages; ids are
   * to be those that the platform vouches for, never what a message says of itself.
   */
  message(message: Message): Promise<Hearing>;
  /**
   * The conversation that a message belongs to, to be used as its `taskId`: its own sandbox, its own approvals. Everybody
   * who writes directly has one; in channels `group_sessions_per_user` says whether each person has. For what is answered
   * in a new thread, ask with the thread as the channel.
   */
  conversation(message: Pick<Message, 'platform' | 'from' | 'channel'>): Promise<string>;
  /** For people; `permission_denied` inside a command that Caisson runs. `by` is who does it, for the record. */
  readonly pairing: {
    list(): Promise<PairingView>;
    /**
     * Pairs the user to whom the code was sent, for good. Throws `not_found` for a code that is not pending, and
     * `resource_exhausted` for an hour after five of them in a row, whatever the code.
     */
    approve(platform: string, code: string, by: string): Promise<PairedView>;
    /** From the next message on; by any id of the person. Throws `not_found`. */
    revoke(platform: string, user: string, by: string): Promise<Revoked>;
    /** Removes the requests that wait, of one platform or of all. Answers how many waited. */
    clearPending(platform?: string): Promise<number>;
  };
}
