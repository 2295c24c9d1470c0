/** Values that documents print where a secret is to be put. They are no secrets, and nothing is hidden by replacing them. */

/** `ghp_...`, `sk-xxxx`, `<token>`, `your-api-key`, `YOUR_TOKEN_HERE`, `changeme`, `****`. */
const forms = [
  /^[\w-]{0,20}(?:\.{3}|\u2026)$/,
  /^(?:[a-z]{2,8}[_-])?(?:x{3,}|X{3,}|\*{3,})$/,
  /^<[^<>]{1,64}>$/,
  /^your[-_ ][\w -]{1,48}$/i,
  /^(?:change[-_]?me|replace[-_]?me|placeholder)$/i,
];

export function isPlaceholder(value: string): boolean {
  return forms.some((form) => form.test(value));
}
