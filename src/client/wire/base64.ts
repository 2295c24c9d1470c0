/** Base64 without Node: browsers have `btoa`, which takes a character for a byte. */

/** More arguments than an engine takes at once are more than this. */
const atOnce = 32 * 1024;

export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += atOnce) text += String.fromCharCode(...bytes.subarray(at, at + atOnce));
  return btoa(text);
}
