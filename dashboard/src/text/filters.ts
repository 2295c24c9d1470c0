/** Filters of the address, as fields show them and as the service takes them. Pure. */

/** Texts of these names; what the address does not have is empty. */
export function textsOf<Name extends string>(
  given: Readonly<Record<string, string>>,
  names: readonly Name[],
): Readonly<Record<Name, string>>;
export function textsOf(given: Readonly<Record<string, string>>, names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, Object.hasOwn(given, name) ? given[name] : '']));
}

/** Leaves out what is empty. */
export function filled<T extends object>(texts: T): Partial<T>;
export function filled(texts: object): object {
  return Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== ''));
}

/** A local time of a field under its name; nothing where it is not a time yet. */
export function momentOf<const Name extends string>(name: Name, local: string): { readonly [Key in Name]?: string } {
  const ms = Date.parse(local);
  const none: { readonly [Key in Name]?: string } = {};
  return Number.isNaN(ms) ? none : { ...none, [name]: new Date(ms).toISOString() };
}
