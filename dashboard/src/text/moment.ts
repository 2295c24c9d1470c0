/** A local time of a field as the service takes it, under its name; nothing where it is not a time yet. Pure. */
export function momentOf<const Name extends string>(name: Name, local: string): { readonly [Key in Name]?: string } {
  const ms = Date.parse(local);
  const none: { readonly [Key in Name]?: string } = {};
  return Number.isNaN(ms) ? none : { ...none, [name]: new Date(ms).toISOString() };
}
