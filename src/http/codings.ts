/** What the head of a request says of its body, before that is read: bytes for a route that takes JSON would not be counted. */
import { CaissonError } from '../errors.ts';
import { HttpRefusal, httpError } from './problems.ts';
import type { Route } from './route.ts';

type Header = (name: string) => string | undefined;

/** Throws 415 for another type and for a coding, and 400 for a part. Each would be stored as something that was not sent. */
export function checkBody(header: Header, route: Route): void {
  checkType(header('content-type') ?? (hasBody(header) ? '' : undefined), route);
  const coding = header('content-encoding')?.trim().toLowerCase();
  if (coding !== undefined && coding !== 'identity') throw codingError(coding);
  if (header('content-range') !== undefined && route.method !== 'GET')
    throw httpError(400, 'a body with Content-Range is a part, and this route takes the whole', 'send the whole');
}

const hasBody = (header: Header): boolean =>
  header('transfer-encoding') !== undefined || Number(header('content-length') ?? 0) > 0;

function checkType(type: string | undefined, { takes }: Route): void {
  const wanted = takes === 'bytes' ? 'application/octet-stream' : 'application/json';
  if (type !== undefined && type.split(';')[0]?.trim().toLowerCase() !== wanted)
    throw httpError(415, `the body of this route is ${wanted}`, `send Content-Type: ${wanted}`);
}

function codingError(coding: string): HttpRefusal {
  const error = new CaissonError('invalid_argument', `a body in the coding ${JSON.stringify(coding)} is not read`, {
    remedy: 'send it without Content-Encoding',
  });
  return new HttpRefusal(415, error, { 'accept-encoding': 'identity' });
}
