/** A connection to one terminal in the sandbox. */
import type { Handle } from './sdk.ts';

export interface Size {
  readonly cols: number;
  readonly rows: number;
}

export interface Link {
  /** What cannot be sent any more is dropped: `down` reports that. */
  send(bytes: Buffer): void;
  close(): void;
  /** Resolves when the connection has ended, with the exit code where the terminal has ended. */
  readonly down: Promise<number | null>;
}

/** Without a size: to a terminal that is there already. */
export async function openLink(
  toolbox: Handle['process'],
  { id, size, onBytes }: { readonly id: string; readonly size?: Size; readonly onBytes: (bytes: Buffer) => void },
): Promise<Link> {
  const onData = (data: Uint8Array): void => onBytes(Buffer.from(data.buffer, data.byteOffset, data.byteLength));
  const terminal = await (size === undefined
    ? toolbox.connectPty(id, { onData })
    : toolbox.createPty({ id, ...size, onData }));
  const down = terminal.wait().then(
    ({ exitCode }) => exitCode ?? null,
    () => null,
  );
  return {
    send: (bytes) => void terminal.sendInput(bytes).catch(() => undefined),
    close: () => void terminal.disconnect(),
    down,
  };
}

/** Ends it and what runs on it, also when it is not known to be there. */
export async function endTerminal(toolbox: Handle['process'], id: string): Promise<void> {
  await toolbox.killPtySession(id).catch(() => undefined);
}
