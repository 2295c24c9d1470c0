import { expect } from 'vitest';
import { sh } from '../command.ts';
import type { Suite } from '../suite.ts';

/** Tunnel devices that the kernel puts into every network namespace, down and without an address. */
const idle = new Set([
  'lo',
  'tunl0',
  'sit0',
  'gre0',
  'gretap0',
  'erspan0',
  'ip_vti0',
  'ip6_vti0',
  'ip6tnl0',
  'ip6gre0',
]);

export function networkCases(suite: Suite): void {
  const { network } = suite.place.guarantees;

  if (network.includes('none')) {
    suite.test('network.none', 'has loopback and no way out', async (place) => {
      const sandbox = await place.create({ spec: { network: 'none' } });
      const { stdout } = await sh(sandbox, 'while read -r name _; do echo "$name"; done </proc/net/dev');
      const devices = stdout
        .toString()
        .split('\n')
        .filter((line) => line.includes(':'))
        .map((line) => line.slice(0, line.indexOf(':')));
      expect(devices).toContain('lo');
      expect(devices.filter((name) => !idle.has(name))).toEqual([]);
      expect((await sh(sandbox, 'wc -l </proc/net/route')).stdout.toString().trim()).toBe('1');
      await place.destroy(sandbox);
    });
  }

  if (network.includes('open')) {
    suite.test('network.open', 'has a way out', async (place) => {
      const sandbox = await place.create({ spec: { network: 'open' } });
      expect(Number((await sh(sandbox, 'wc -l </proc/net/route')).stdout)).toBeGreaterThan(1);
      await place.destroy(sandbox);
    });
  }
}
