/** Results of tools: what was done, what did not happen and why, and what a person is to say first. */
import type { CallToolResult, InputRequiredResult } from '@modelcontextprotocol/server';
import { toCaissonError } from '../errors.ts';

/** A result that is not the output of the tool. */
export class Reply {
  readonly result: CallToolResult | InputRequiredResult;

  constructor(result: CallToolResult | InputRequiredResult) {
    this.result = result;
  }
}

/** Output of a tool, and what the host may read besides. */
export interface Output {
  readonly data: Readonly<Record<string, unknown>>;
  readonly links?: readonly { readonly uri: string; readonly name: string; readonly description: string }[];
}

/** JSON in a text, which every host gives its model; structured content beside it would be the same once more. */
export function resultOf({ data, links = [] }: Output): CallToolResult {
  return {
    content: [
      { type: 'text', text: JSON.stringify(data) },
      ...links.map((link) => ({ type: 'resource_link' as const, mimeType: 'text/plain', ...link })),
    ],
  };
}

export interface Failure {
  readonly error: unknown;
  readonly requestId: string | null;
  /** The state directory, which no result names. */
  readonly home: string;
}

/** What was refused, or could not be done. Of a defect nothing leaves but the id of the request. */
export function failureOf({ error, requestId, home }: Failure): CallToolResult {
  const { code, message, remedy, retryable } = toCaissonError(error);
  const isDefect = code === 'internal';
  const without = (text: string): string => text.replaceAll(home, '<state directory>');
  return failed({
    code,
    message: isDefect ? 'unexpected failure' : without(message),
    remedy: isDefect ? 'report it with the request_id' : remedy === null ? null : without(remedy),
    retryable,
    request_id: requestId,
  });
}

export function failed(data: Readonly<Record<string, unknown>>): CallToolResult {
  return { isError: true, content: [{ type: 'text', text: JSON.stringify(data) }] };
}
