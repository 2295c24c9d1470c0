/** The result of a command as the tools of @openai/agents show it to the model. */
import type { ExecResult } from './types.ts';

const bytesPerToken = 4;

export function printed({ output, wallTimeSeconds, sessionId, exitCode, originalTokenCount }: ExecResult): string {
  return [
    `Wall time: ${wallTimeSeconds.toFixed(4)} seconds`,
    ...(sessionId === undefined ? [] : [`Process running with session ID ${sessionId}`]),
    ...(sessionId !== undefined || typeof exitCode !== 'number' ? [] : [`Process exited with code ${exitCode}`]),
    ...(originalTokenCount === undefined ? [] : [`Original token count: ${originalTokenCount}`]),
    'Output:',
    output,
  ].join('\n');
}

/** Head and tail of a text of more than so many tokens, by their usual size in bytes. */
export function cut(text: string, tokens: number | undefined): { readonly text: string; readonly tokens?: number } {
  const bytes = new TextEncoder().encode(text);
  const max = (tokens ?? Number.POSITIVE_INFINITY) * bytesPerToken;
  if (bytes.length <= max) return { text };
  const decoder = new TextDecoder();
  // The decoder writes U+FFFD for a character that the cut splits.
  const head = decoder.decode(bytes.subarray(0, max / 2)).replace(/\ufffd+$/, '');
  const tail = decoder.decode(bytes.subarray(bytes.length - max / 2)).replace(/^\ufffd+/, '');
  const count = Math.ceil(bytes.length / bytesPerToken);
  return { text: `${head}...${count - (tokens ?? 0)} tokens truncated...${tail}`, tokens: count };
}
