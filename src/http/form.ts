/** In which form an answer is written. */
import { refusal } from './problems.ts';
import type { Form, Route } from './route.ts';

const forms: Readonly<Record<string, Form>> = {
  'application/json': 'json',
  'application/x-ndjson': 'ndjson',
  'text/event-stream': 'sse',
};

/** The first of Accept that the route can give. Weights (RFC 9110, section 12.5.1) are not compared: order says as much. */
export function formOf(accept: string | undefined, { events, usual, answer, gives }: Route): Form {
  const streams = events !== undefined;
  const standard = usual ?? (streams ? 'ndjson' : 'json');
  if (accept === undefined || gives === 'bytes') return standard;
  for (const each of accept.split(',')) {
    const type = each.split(';')[0]?.trim().toLowerCase() ?? '';
    if (type === '*/*' || type === 'application/*' || type === 'text/*') return standard;
    const form = Object.hasOwn(forms, type) ? forms[type] : undefined;
    if (form === 'json' && (!streams || answer.type !== 'undefined')) return form;
    if (form !== undefined && form !== 'json' && streams) return form;
  }
  throw refusal(406, 'this route has no answer of a type that is accepted');
}
