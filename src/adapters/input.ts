/** Writing to the stdin of a command, whichever side of a service it is on. */
import type { Input } from './api.ts';

/** Resolves when it is passed on, or the command reads no more: what it does not read is not a failure. */
export async function written(stdin: Input, bytes: Uint8Array | string): Promise<void> {
  if (stdin.on === undefined) return void (await stdin.write(bytes));
  const { promise, resolve } = Promise.withResolvers<void>();
  const over = (): void => resolve();
  // A stream that passes on to another one forgets the callback when it is destroyed.
  stdin.on('close', over);
  stdin.write(bytes, over);
  await promise;
  stdin.off?.('close', over);
}

/** The stream of a command that has ended emits an error, which would end the program without a listener. */
export function quiet(stdin: Input | null): void {
  stdin?.on?.('error', () => {});
}
