/** Leaves out what is undefined: under `exactOptionalPropertyTypes`, an absent key differs from one that holds `undefined`. */

type Defined<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

export function given<T extends object>(values: T): Defined<T>;
export function given(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
