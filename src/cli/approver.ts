/** The question about a command, on the terminal of this process. */
import type { Approver, Settled } from '../guard/types.ts';
import { escapeLine } from './escape.ts';
import type { Input, World } from './world.ts';

const longestAnswer = 1024;

/** `null`: no person is there to ask, since standard input or the stream of messages is not a terminal. */
export function approverOn(world: Pick<World, 'stdin' | 'stderr'>, clear: () => void): Approver | null {
  // Standard input last: to look at it is to open it.
  if (world.stderr.isTTY !== true || world.stdin.isTTY !== true) return null;
  return async (question, { signal, settled }) => {
    // Few commands are asked about.
    const { questionText } = await import('./question.ts');
    clear();
    world.stderr.write(questionText(question));
    const line = await readLine(world.stdin, signal);
    if (line === null) world.stderr.write(`\n${signal.aborted ? endOf(await settled) : ''}`);
    return line ?? 'deny';
  };
}

/** Why the prompt went away under the person who was about to answer. */
function endOf({ outcome, elsewhere }: Settled): string {
  return elsewhere === null ? '' : `answered elsewhere: ${outcome}, by ${escapeLine(elsewhere)}\n`;
}

/** One line; what was typed after it stays for the command. `null` at the end of the input, or when the answer is no longer awaited. */
export function readLine(stdin: Input, signal: AbortSignal): Promise<string | null> {
  return new Promise((resolve) => {
    let text = '';
    const end = (line: string | null, rest = ''): void => {
      stdin.off('data', onData);
      stdin.off('end', onEnd);
      signal.removeEventListener('abort', onEnd);
      stdin.pause();
      if (rest !== '') stdin.unshift(Buffer.from(rest));
      resolve(line);
    };
    const onEnd = (): void => end(null);
    const onData = (chunk: Buffer | string): void => {
      text += chunk.toString();
      const newline = text.indexOf('\n');
      if (newline >= 0) end(text.slice(0, newline), text.slice(newline + 1));
      else if (text.length > longestAnswer) end(null);
    };
    signal.addEventListener('abort', onEnd, { once: true });
    stdin.on('data', onData);
    stdin.on('end', onEnd);
    stdin.resume();
    if (signal.aborted) onEnd();
  });
}
