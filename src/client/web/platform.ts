/** What differs between the platforms. */

/** Browsers send a stream only over HTTP/2, and some not at all. */
export function streamsUploads(): boolean {
  const name = Reflect.get(Object(Reflect.get(globalThis, 'navigator')), 'userAgent');
  return typeof name === 'string' && /^(?:Node\.js|Bun|Deno)\//.test(name);
}
