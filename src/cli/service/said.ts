/**
 * What a command says beside its request, as it would to a Caisson of its own: rules, YOLO, and the directory in which it was
 * started. In a body of JSON, otherwise in the query (`src/http/home/said.ts` reads it).
 */
import type { Transport, WireRequest } from '../../client/transport.ts';
import type { RuleTexts } from '../../policy/types.ts';

export interface SessionSettings {
  readonly rules?: RuleTexts;
  readonly yolo?: true;
  /** Absent where the service sees other files than the caller. */
  readonly project?: string;
}

/** What runs something or touches files. */
const concerned = /^\/v1\/(?:sandboxes|execs|processes)(?:[/?]|$)/;
/** The check of commands: rules in its body are those of the question. */
const checked = /^\/v1\/policy\/check$/;

export function saying(transport: Transport, said: SessionSettings): Transport {
  if (Object.keys(said).length === 0) return transport;
  return {
    request: (wanted) => transport.request(withSaid(wanted, saidTo(wanted, said))),
    open: (path, headers, signal) => transport.open(path, headers, signal),
    close: () => transport.close(),
  };
}

function saidTo({ path }: WireRequest, said: SessionSettings): SessionSettings {
  if (concerned.test(path)) return said;
  return checked.test(path) && said.project !== undefined ? { project: said.project } : {};
}

function withSaid(wanted: WireRequest, said: SessionSettings): WireRequest {
  if (Object.keys(said).length === 0) return wanted;
  const { body, path, method } = wanted;
  if (typeof body === 'string' && wanted.headers['content-type'] === 'application/json') {
    const given: unknown = JSON.parse(body);
    return { ...wanted, body: JSON.stringify({ ...Object(given), ...said }) };
  }
  // A record, and its removal, concern nothing that rules decide about.
  if (!path.includes('/files') || method === 'POST') return wanted;
  return { ...wanted, path: `${path}${path.includes('?') ? '&' : '?'}${queryOf(said)}` };
}

function queryOf({ rules, yolo, project }: SessionSettings): string {
  const fields = {
    ...(rules === undefined ? {} : { rules: JSON.stringify(rules) }),
    ...(yolo === undefined ? {} : { yolo: 'true' }),
    ...(project === undefined ? {} : { project }),
  };
  return Object.entries(fields)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}
