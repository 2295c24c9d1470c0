/** A streamed tar, and what the headers of the answer say of it. */
import type { CopyResult } from '../../service/api.ts';
import type { WireResponse } from '../transport.ts';
import type { ClientFilesApi } from '../types.ts';
import { shaped } from '../wire/shape.ts';

type Archive = Awaited<ReturnType<ClientFilesApi['archive']>>;

export function archiveIn({ headers, body }: WireResponse): Archive {
  const said = shaped<CopyResult>(parsed(headers['x-archive'] ?? 'null'), {
    files: 'number',
    directories: 'number',
    bytes: 'number',
    skipped: 'list',
  });
  const parts = body[Symbol.asyncIterator]();
  return {
    ...said,
    parts: { [Symbol.asyncIterator]: () => parts },
    // Not read to its end: the connection is closed, and the service gives its disk space back.
    [Symbol.asyncDispose]: async () => void (await parts.return?.()),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
