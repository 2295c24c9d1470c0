/** What differs between the platforms. */

/** Browsers send a stream only over HTTP/2, and some not at all. */
export function streamsUploads(): boolean {
  const platform: unknown = Reflect.get(globalThis, 'navigator');
  const name: unknown = Reflect.get(Object(platform), 'userAgent');
  return typeof name === 'string' && /^(?:Node\.js|Bun|Deno)\//.test(name);
}
