/** Addresses and secrets of webhooks, as an operator writes them. Pure. */

/** `null`: nothing is wrong. */
export function webhookUrlProblem(text: string): string | null {
  const url = text.length > 2048 ? null : URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return 'it is no address that begins with https:// or http://';
  if (url.username !== '' || url.password !== '') return 'it must hold no user and no password';
  return url.hash === '' ? null : 'it must hold no #';
}

/** The key of a secret as Standard Webhooks writes it. `null`: it has another form or length. */
export function webhookKey(secret: string): Buffer | null {
  const [, encoded] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  const key = Buffer.from(encoded ?? '', 'base64');
  return key.length >= 24 && key.length <= 64 ? key : null;
}
