/** What every emulator of a service gives to its caller. */

export interface EmulatorOptions {
  /** Starts also where commands cannot be kept apart from this host, because namespaces need root. */
  readonly unsafe: boolean;
}

export interface Emulator {
  /** Environment that points the official SDK at the emulator. The values hold the credentials of this start. */
  readonly environment: Readonly<Record<string, string>>;
  /** The unix socket that faults are asked for by. */
  readonly faults: string;
  /** Ends every command and removes every file. */
  close(): Promise<void>;
}

export type StartEmulator = (options: EmulatorOptions) => Promise<Emulator>;
