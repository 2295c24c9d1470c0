/** In which form an answer is written. */
import { httpError } from './problems.ts';
import type { Route } from './route.ts';
import type { Form } from './types.ts';

const forms: Readonly<Record<string, Form>> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/event-stream': 'sse',
  'text/markdown': 'markdown',
  'text/plain': 'plain',
};

/** The first of Accept that the route can give. Weights (RFC 9110, section 12.5.1) are not compared: order says as much. */
export function formOf(accept: string | undefined, { events, usual, answer, gives }: Route): Form {
  const streams = events !== undefined;
  const standard = usual ?? (streams ? 'ndjson' : 'json');
  if (accept === undefined || gives === 'bytes') return standard;
  const text = gives === 'text';
  for (const each of accept.split(',')) {
    const type = each.split(';')[0]?.trim().toLowerCase() ?? '';
    if (text && type === 'text/*') return 'markdown';
    if (type === '*/*' || type === 'application/*' || type === 'text/*') return standard;
    const form = Object.hasOwn(forms, type) ? forms[type] : undefined;
    if (form === 'json' && (!streams || answer.type !== 'undefined')) return form;
    if (text && (form === 'markdown' || form === 'plain')) return form;
    if (streams && (form === 'ndjson' || form === 'sse')) return form;
  }
  throw httpError(406, 'this route has no answer of a type that is accepted');
}
