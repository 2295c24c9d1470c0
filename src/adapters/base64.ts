/** Works without Node, as all of the adapters. */
export const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (byte) => byte.codePointAt(0) ?? 0);
