import { expect, it } from 'vitest';
import { judgeUrls } from '../../../src/network/address/url.ts';
import { type Block, blocks4, blocks6, isBlocked4, isBlocked6 } from './registries.ts';
import { noRules } from './rules.ts';
import { hosts4, hosts6, randomFrom, urls } from './spellings.ts';

const random = randomFrom(20_261_125);
const upTo = (size: bigint): bigint => {
  const bits = Array.from({ length: 5 }, () => BigInt(Math.floor(random() * 2 ** 32)));
  return bits.reduce((sum, part) => (sum << 32n) | part, 0n) % size;
};

/** The edges of a block, one address in it, and its neighbours, which may lie on the internet. */
const around = ({ first, last }: Block, end: bigint): readonly bigint[] =>
  [first - 1n, first, first + upTo(last - first + 1n), last, last + 1n].filter((each) => each >= 0n && each < end);

const anywhere = (count: number, make: () => bigint): readonly bigint[] => Array.from({ length: count }, make);
const [end4, end6] = [1n << 32n, 1n << 128n];

const addresses4 = [
  0xa8_3f_81_10n,
  0xa8_3f_81_11n,
  ...blocks4.flatMap((block) => around(block, end4)),
  ...anywhere(60, () => upTo(end4)),
];
const addresses6 = [
  ...blocks6.flatMap((block) => around(block, end6)),
  // IPv4 inside IPv6: compatible, mapped, ISATAP, 6to4.
  ...anywhere(10, () => upTo(end4)),
  ...anywhere(20, () => (0xffffn << 32n) | upTo(end4)),
  ...anywhere(10, () => (0x2606_4700n << 96n) | (0x5efen << 32n) | upTo(end4)),
  ...anywhere(10, () => (0x2606_4700n << 96n) | (0x0200_5efen << 32n) | upTo(end4)),
  ...anywhere(10, () => (0x2002n << 112n) | (upTo(end4) << 80n)),
  ...anywhere(10, () => (0x3ffen << 112n) | upTo(1n << 112n)),
  ...anywhere(60, () => (1n << 125n) | upTo(1n << 125n)),
  ...anywhere(20, () => upTo(end6)),
];

interface Case {
  readonly url: string;
  readonly expected: 'allow' | 'block';
}

/** Every address in several spellings, every spelling in turn. */
function casesOf(
  addresses: readonly bigint[],
  hosts: readonly ((address: bigint) => string)[],
  isBlocked: (address: bigint) => boolean,
): readonly Case[] {
  let turn = 0;
  return addresses.flatMap((address) =>
    Array.from({ length: 8 }, () => {
      turn += 1;
      const host = hosts[turn % hosts.length]?.(address) ?? '';
      const url = urls[Math.floor(random() * urls.length)]?.(host) ?? '';
      return { url, expected: isBlocked(address) ? 'block' : 'allow' } as const;
    }),
  );
}

const cases = [...casesOf(addresses4, hosts4, isBlocked4), ...casesOf(addresses6, hosts6, isBlocked6)];

it('2,000 spellings of addresses are judged as the registries of IANA say', () => {
  const wrong = cases
    .map(({ url, expected }) => ({ url, expected, got: judgeUrls({ url }, noRules) }))
    .filter(({ expected, got }) => got.verdict !== expected);
  expect(wrong).toEqual([]);
  expect(new Set(cases.map(({ url }) => url)).size).toBeGreaterThan(2000);
  expect(cases.filter(({ expected }) => expected === 'allow').length).toBeGreaterThan(500);
});

it('every spelling is one that names the address: public ones are allowed in each', () => {
  const [four, six] = [0x08_08_08_08n, 0x2606_4700_4700_0000_0000_0000_0000_1111n];
  const all = urls.flatMap((url) => [
    ...hosts4.map((host) => url(host(four))),
    ...hosts6.map((host) => url(host(six))),
  ]);
  expect(all.filter((url) => judgeUrls({ url }, noRules).verdict === 'block')).toEqual([]);
});
