/** The configuration of a state directory, and its file, as the API has them. Types only. */
import type { Pending } from '../config/pending-view.ts';

export type { Pending };

export interface Reloaded {
  /** Keys that hold from now on. */
  readonly changed: readonly string[];
  /** Keys that have changed in the file and hold when the service is started again. */
  readonly needsRestart: readonly string[];
}

/** The file of a state directory. It need not load: what is written loads by itself, whatever switches and flags say. */
export interface ConfigFile {
  /** Absolute path of the state directory. */
  readonly home: string;
  /** Reads the text of the file; `null`: the state directory has none. */
  read(): Promise<string | null>;
  /** Throws `invalid_argument` for what would not load. Absent: the file as it is. */
  check(text?: string): Promise<void>;
  /**
   * Sets one key; `text` as the file would have it. Throws `invalid_argument` for what the check refuses, and changes nothing
   * then.
   */
  set(key: string, text: string): Promise<void>;
  /** Throws the same, and `conflict` where the file is not as it was read. */
  replace(was: string | null, now: string): Promise<void>;
  /** Writes the first file. Throws the same, and `already_exists` where there is one. */
  create(text: string): Promise<void>;
}

/** The configuration in force, for people. Of the environment of MCP servers it has the names, without values. */
export interface ConfigView {
  /** Absolute path of the state directory. */
  readonly home: string;
  /** What was noticed while loading: a repaired store, a setting without effect. */
  readonly notices: readonly string[];
  /** Lists keys; with `task`, as overrides change them for a new sandbox of it. Throws `invalid_argument` for a malformed task id. */
  show(task?: string): Promise<readonly { readonly key: string; readonly value: unknown; readonly origin: string }[]>;
  /** Sets one key in the file of the home: rules that ask or deny hold from the next command on, all else from the next reading. */
  set: ConfigFile['set'];
  /** See `ConfigFile.create`. */
  create: ConfigFile['create'];
  /** Differences of the file from what was read. Rules in it that ask or deny hold already. */
  pending(): Promise<Pending>;
  /**
   * Reads the file again, and the rules that other processes have saved. Rules, owners with their limits, webhooks and the
   * times of approvals hold at once; every other key that has changed needs a restart. Throws as the opening does, and changes nothing then.
   */
  reload(): Promise<Reloaded>;
  /** How `caisson serve` is reached. */
  readonly server: ServerSettings;
  /** JSON Schema of the file. */
  schema(): Promise<object>;
}

/** How `caisson serve` is reached, by the keys of the section `server`. */
export interface ServerSettings {
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host: string;
  /** TCP port. 0: any free port. */
  readonly port: number;
  /** Path of a unix socket to listen on instead. `null`: none. */
  readonly socket: string | null;
  /** Names that the `Host` header may have, beside loopback. */
  readonly hosts: readonly string[];
  /** Origins of web pages that may call the service. */
  readonly origins: readonly string[];
  /** Path of a PEM certificate chain. `null`: no TLS. */
  readonly tls_cert: string | null;
  /** Path of its PEM private key. `null`: no TLS. */
  readonly tls_key: string | null;
  /** Addresses whose `X-Forwarded-For` is believed. */
  readonly proxies: readonly string[];
  /** Seconds that running requests get at the end. */
  readonly shutdown_seconds: number;
  /** Whether `/` is the dashboard. */
  readonly dashboard: boolean;
  /** Whether it keeps what sandboxes have used. */
  readonly samples: boolean;
}
