/** Ways to write one address into a URL, as clients, attackers and old programs do. Deterministic: one seed, one list. */

/** Mulberry32, so that a failure can be repeated. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const bytesOf = (address: bigint): readonly number[] => [24n, 16n, 8n, 0n].map((by) => Number((address >> by) & 255n));
const groupsOf = (address: bigint): readonly string[] =>
  Array.from({ length: 8 }, (_, at) => ((address >> BigInt(112 - 16 * at)) & 0xffffn).toString(16));

export const dotted = (address: bigint): string => bytesOf(address).join('.');
const wide = (text: string): string =>
  text.replaceAll(/[0-9a-z]/g, (sign) => String.fromCodePoint((sign.codePointAt(0) ?? 0) + 0xfee0));
const percent = (text: string): string =>
  [...text].map((sign) => `%${(sign.codePointAt(0) ?? 0).toString(16)}`).join('');
const octal = (byte: number): string => `0${byte.toString(8)}`;
const hex = (byte: number): string => `0x${byte.toString(16)}`;
const mixed = [String, octal, hex, (byte: number) => `0X${byte.toString(16).toUpperCase()}`];

/** The host alone. */
export const hosts4: readonly ((address: bigint) => string)[] = [
  dotted,
  (address) => String(address),
  (address) => `0x${address.toString(16)}`,
  (address) => `0X0000${address.toString(16).toUpperCase()}`,
  (address) => `0${address.toString(8)}`,
  (address) => bytesOf(address).map(octal).join('.'),
  (address) => bytesOf(address).map(hex).join('.'),
  (address) =>
    bytesOf(address)
      .map((byte) => `000${octal(byte)}`)
      .join('.'),
  (address) =>
    bytesOf(address)
      .map((byte, at) => mixed[at]?.(byte))
      .join('.'),
  (address) => `${address >> 24n}.${address & 0xff_ff_ffn}`,
  (address) => `${address >> 24n}.${(address >> 16n) & 255n}.${address & 0xffffn}`,
  (address) => `0x${(address >> 24n).toString(16)}.0${(address & 0xff_ff_ffn).toString(8)}`,
  (address) => `${dotted(address)}.`,
  (address) => `${address}.`,
  (address) => percent(dotted(address)),
  (address) => `%3${dotted(address).slice(0, 1)}${dotted(address).slice(1)}`,
  (address) => percent(`0x${address.toString(16)}`),
  (address) => wide(dotted(address)),
  (address) => wide(`0x${address.toString(16)}`),
  (address) => dotted(address).replaceAll('.', '\u3002'),
  (address) => dotted(address).replaceAll('.', '\uff0e'),
  (address) => wide(dotted(address)).replaceAll('.', '\uff61'),
  (address) => dotted(address).replaceAll('.', '%E3%80%82'),
  (address) => dotted(address).replace('.', '\u00ad.'),
  (address) => `[::ffff:${dotted(address)}]`,
  (address) => `[::FFFF:${groupsOf(address).slice(6).join(':').toUpperCase()}]`,
  (address) => `[0:0:0:0:0:ffff:${groupsOf(address).slice(6).join(':')}]`,
];

export const hosts6: readonly ((address: bigint) => string)[] = [
  (address) => `[${groupsOf(address).join(':')}]`,
  (address) => `[${groupsOf(address).join(':').toUpperCase()}]`,
  (address) =>
    `[${groupsOf(address)
      .map((group) => group.padStart(4, '0'))
      .join(':')}]`,
  (address) => `[${groupsOf(address).slice(0, 6).join(':')}:${dotted(address & 0xffff_ffffn)}]`,
  (address) =>
    `[${groupsOf(address)
      .join(':')
      .replace(/(?:^|:)0(?::0)+(?::|$)/, '::')}]`,
];

/** The URL around it. All of them name the host, and nothing else. */
export const urls: readonly ((host: string) => string)[] = [
  (host) => `http://${host}/`,
  (host) => `https://${host}:8443/path?q=1#f`,
  (host) => `HtTp://${host}`,
  (host) => `http://example.com@${host}/`,
  (host) => `http://example.com:80@${host}:81/`,
  (host) => `http://a@b@${host}/`,
  (host) => `http://example.com%2f@${host}/`,
  (host) => `http://${host}\\@example.com/`,
  (host) => `http://${host}/@example.com/`,
  (host) => `http://${host}?@example.com/`,
  (host) => `http://${host}#@example.com/`,
  (host) => `http:/${host}/`,
  (host) => `http:${host}/`,
  (host) => `http:\\\\${host}\\`,
  (host) => `http:////${host}/`,
  (host) => ` \u0000http://${host}/ `,
  (host) => `ht\ntp://${host.slice(0, 1)}\t${host.slice(1)}/`,
];
