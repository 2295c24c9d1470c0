/** Which names the service may be called by: a page that points a name of its own here (DNS rebinding) is refused by it. */

export interface Names {
  /** Configured names and addresses, without a port. */
  readonly hosts: readonly string[];
  /** Host on which the service listens; `null`: a socket of this host. */
  readonly bound: string | null;
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];
const form = /^(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?::\d{1,5})?$/i;

/** `host`: every Host header that came. Exactly one is to be there (RFC 9112, section 3.2). */
export function mayBeCalled(hosts: readonly string[], { hosts: further, bound }: Names): boolean {
  const [host] = hosts;
  if (host === undefined || hosts.length !== 1) return false;
  const name = form.exec(host)?.[1]?.toLowerCase();
  if (name === undefined) return false;
  return [...loopback, ...further, ...(bound === null ? [] : [bound])].some((each) => bracketed(each) === name);
}

function bracketed(name: string): string {
  const lower = name.toLowerCase();
  return lower.includes(':') && !lower.startsWith('[') ? `[${lower}]` : lower;
}

/** Values of a header as they came, of which Node keeps only the first. */
export function everyHeader(rawHeaders: readonly string[], name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
