/** Output of commands as resources, in pages: `caisson://execs/{id}/stdout`, and on with `?after=`. */
import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceTemplate,
  type ReadResourceResult,
} from '@modelcontextprotocol/server';
import { toCaissonError } from '../errors.ts';
import { cursorOf, cursorText, start, textOf } from './output/cursor.ts';
import { endOf, followRecord } from './output/follow.ts';
import { Page } from './output/page.ts';
import type { McpDependencies } from './parts.ts';
import { execId } from './tools/schemas.ts';

const pageBytes = 128 * 1024;

export function registerOutput(server: McpServer, parts: McpDependencies): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    // A template with a query matches no address without one.
    registerPages(server, parts, { stream, name: stream, query: '' });
    registerPages(server, parts, { stream, name: `${stream}-page`, query: '{?after}' });
  }
}

interface Pages {
  readonly stream: 'stdout' | 'stderr';
  readonly name: string;
  readonly query: string;
}

function registerPages(server: McpServer, parts: McpDependencies, { stream, name, query }: Pages): void {
  const title = query === '' ? `All of ${stream} of a command` : `The next page of ${stream} of a command`;
  const description = 'In pages: where there is more, the result ends with the address of the next page.';
  const template = new ResourceTemplate(`caisson://execs/{id}/${stream}${query}`, { list: undefined });
  server.registerResource(name, template, { title, description, mimeType: 'text/plain' }, async (uri, given, ctx) => {
    const wanted = { uri: uri.href, id: given['id'], after: given['after'], stream };
    return await pageOf(parts, wanted, ctx.mcpReq.signal);
  });
}

interface ResourceQuery {
  readonly uri: string;
  readonly id: unknown;
  readonly after: unknown;
  readonly stream: 'stdout' | 'stderr';
}

async function pageOf(
  { api }: McpDependencies,
  { uri, id, after, stream }: ResourceQuery,
  signal: AbortSignal,
): Promise<ReadResourceResult> {
  const wanted = execId.safeParse(id);
  const from =
    after === undefined || after === '' ? ({ success: true, data: '0' } as const) : cursorText.safeParse(after);
  if (!wanted.success || !from.success) throw invalidParamsError('there is no such output');
  const cursor = from.data === '0' ? start : cursorOf(from.data);
  const page = new Page(cursor, { maxBytes: pageBytes, streams: [stream] });
  const end = endOf(60_000, [signal]);
  try {
    await followRecord(api, wanted.data, { after: cursor.seq, follow: false, until: end.signal }, (event) =>
      page.take(event),
    );
  } catch (error) {
    throw invalidParamsError(toCaissonError(error).message);
  } finally {
    end.over();
  }
  const read = page.read();
  const contents = [{ uri, mimeType: 'text/plain', text: read[stream] }];
  if (!page.full) return { contents };
  const next = `caisson://execs/${wanted.data}/${stream}?after=${textOf(read.next)}`;
  return { contents: [...contents, { uri: next, mimeType: 'text/plain', text: `[goes on at ${next}]` }] };
}

const invalidParamsError = (message: string): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, message);
