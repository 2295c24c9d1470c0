/** Lines of a watch: a JSON object each, of bounded length. */
import { isRecord, parseJson } from '../shared/labels.ts';
import { isStored, type Pod } from './objects.ts';

export type WatchEvent =
  | { readonly is: 'there' | 'gone'; readonly pod: Pod; readonly version: string }
  | { readonly is: 'bookmark'; readonly version: string }
  /** The versions that it went on from are not kept any more: all is listed again. */
  | { readonly is: 'expired' }
  | { readonly is: 'failed'; readonly code: number };

const longestLine = 8 * 2 ** 20;

/** `null`: a line that says nothing. */
export function eventOf(line: string): WatchEvent | null {
  const event = parseJson(line);
  const object: unknown = isRecord(event) ? event['object'] : null;
  if (!isRecord(event) || !isRecord(object)) return null;
  if (event['type'] === 'ERROR') {
    const code = Number(object['code']);
    return code === 410 ? { is: 'expired' } : { is: 'failed', code };
  }
  return changeOf(event['type'], object);
}

function changeOf(type: unknown, object: unknown): WatchEvent | null {
  if (!isStored(object)) return null;
  const version = object.metadata?.resourceVersion ?? '';
  if (type === 'BOOKMARK') return { is: 'bookmark', version };
  return { is: type === 'DELETED' ? 'gone' : 'there', pod: object, version };
}

export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let before = '';
  for await (const chunk of chunks) {
    const parts = (before + chunk.toString('latin1')).split('\n');
    before = parts.pop() ?? '';
    if (before.length > longestLine) throw new Error('a line of the watch is too long');
    for (const part of parts) yield Buffer.from(part, 'latin1').toString('utf8');
  }
}
