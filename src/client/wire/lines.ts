/** Lines of NDJSON out of chunks that are cut anywhere, also within a character. What has no end yet is bounded. */
import { CaissonError } from '../../errors.ts';

/** An event has at most some hundred kilobytes; a result has two streams of `exec.output_bytes`. */
const maxLineUnits = 64 * 1024 * 1024;

export type LineObject = Readonly<Record<string, unknown>>;

/** A last line without an end was cut and is left out. Throws `internal` for a line that is not a JSON object. */
export async function* linesOf(
  chunks: AsyncIterable<Uint8Array>,
  maxUnits = maxLineUnits,
): AsyncGenerator<LineObject, void, void> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let units = 0;
  for await (const chunk of chunks) {
    const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n');
    units += first.length;
    if (units > maxUnits) throw new CaissonError('internal', 'the service sent a line that is too long');
    parts.push(first);
    for (const next of more) {
      const event = eventOf(parts.join(''));
      parts = [next];
      units = next.length;
      if (event !== null) yield event;
    }
  }
}

function eventOf(line: string): LineObject | null {
  if (line === '') return null;
  const value = parsed(line);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw new CaissonError('internal', 'the service sent a line that is no event');
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
