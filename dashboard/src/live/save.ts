/** Saves a file of a sandbox: the browser itself does it, by a ticket, so that the page holds none of it, and nothing of it is opened here. */

/** `path`: of the API, with its query. */
export async function save(key: string, path: string): Promise<void> {
  // The ticket is for exactly what the browser will ask for.
  const { pathname, search } = new URL(path, location.origin);
  const asked = pathname + search;
  const answer = await fetch('/v1/tickets', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ path: asked }),
  });
  const ticket: unknown = Reflect.get(Object(await answer.json()), 'ticket');
  if (typeof ticket !== 'string') throw new Error('The service gave no ticket for it.');
  const link = document.createElement('a');
  link.href = `/downloads/${ticket}${asked}`;
  link.download = '';
  link.click();
}
