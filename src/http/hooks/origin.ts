/** Which web pages may call the service: its own, whose name was checked before, and those that are configured. */

export function mayCall(
  origin: string | undefined,
  { host, secure, origins }: { readonly host: string; readonly secure: boolean; readonly origins: readonly string[] },
): boolean {
  if (origin === undefined) return true;
  return origin === `${secure ? 'https' : 'http'}://${host}` || origins.includes(origin);
}
