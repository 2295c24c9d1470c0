import { createSecretKey } from 'node:crypto';
import type { Client } from 'ssh2';

/**
 * ssh2 hands its keys to Node as bytes, for each packet anew; taking them in costs Node several times what encrypting a
 * packet does. As key objects they are taken in once. (ssh2 has no public way to give them so: where its fields have
 * other names or values, nothing happens, and connections are slower.)
 */
export function takeInKeys(client: Client): void {
  const protocol: unknown = Reflect.get(client, '_protocol');
  for (const [holder, names] of keyFields) {
    const cipher: unknown = isObject(protocol) ? Reflect.get(protocol, holder) : null;
    if (isObject(cipher)) for (const name of names) takeIn(cipher, name);
  }
}

const keyFields = [
  ['_cipher', ['_encKey', '_macKey']],
  ['_decipher', ['_decipherKey', '_macKey']],
] as const;

function takeIn(cipher: object, name: string): void {
  const key: unknown = Reflect.get(cipher, name);
  if (Buffer.isBuffer(key)) Reflect.set(cipher, name, createSecretKey(key));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
