/** Who calls: a token in the Authorization header, or for a socket of a browser a ticket among its subprotocols. */

/** The form of RFC 6750, section 2.1, and no other form: anything written otherwise does not count as a token. */
const bearer = /^Bearer (\S+)$/;
const ticketProtocol = /^caisson\.ticket\.([A-Za-z0-9_-]{43})$/;

export const protocol = 'caisson.v1';

/** `null`: none, or one in another form. */
export function tokenIn(headers: readonly string[]): string | null {
  const [header] = headers;
  return headers.length === 1 ? (bearer.exec(header ?? '')?.[1] ?? null) : null;
}

export function ticketIn(protocols: string | undefined): string | null {
  for (const each of (protocols ?? '').split(',')) {
    const ticket = ticketProtocol.exec(each.trim())?.[1];
    if (ticket !== undefined) return ticket;
  }
  return null;
}
