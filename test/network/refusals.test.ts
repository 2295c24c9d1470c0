import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rulesFor } from '../../backends/docker/container/refusals.ts';
import { refusalsOf, resolversIn } from '../../src/network/refusals.ts';
import { purposeOf, readIp } from '../../src/values/ip.ts';

const here = { own: [], engines: [], resolvers: [] };
const said = (isOpen: boolean | null, allowed: string[] = []) => ({ open_private: isOpen, allow_private: allowed });

function blockedBy(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    list.addSubnet(address, Number(bits));
  }
  return list;
}

describe('what an open network is kept from', () => {
  it('is each address that is not public, and none that is (NE-05)', () => {
    const list = blockedBy(refusalsOf(said(null), here).ranges);
    const outside = ['172.15.255.255', '172.32.0.0', '11.0.0.0', '9.255.255.255', '100.63.255.255', '1.1.1.1'];
    for (const address of outside) expect([address, list.check(address)]).toEqual([address, false]);
    const judged = fc.ipV4().filter((address) => {
      const purpose = purposeOf(readIp(address) ?? expect.unreachable());
      // Loopback is the sandbox's own; some single ranges that stand for no host go nowhere.
      return purpose !== 'loopback' && purpose !== 'reserved';
    });
    fc.assert(
      fc.property(
        judged,
        (address) => list.check(address) === (purposeOf(readIp(address) ?? expect.unreachable()) !== 'public'),
      ),
    );
  });

  it('is this host, an engine and metadata services also where private networks are open (NE-06)', () => {
    const own = ['198.51.100.7', '10.0.0.5', '127.0.0.1', '2001:db8::1'];
    const list = blockedBy(refusalsOf(said(true), { ...here, own, engines: ['203.0.113.9'] }).ranges);
    const refused = ['198.51.100.7', '10.0.0.5', '203.0.113.9', '169.254.169.254', '168.63.129.16', '100.100.100.200'];
    for (const address of refused) expect([address, list.check(address)]).toEqual([address, true]);
    for (const address of ['10.0.0.6', '192.168.1.1', '127.0.0.1'])
      expect([address, list.check(address)]).toEqual([address, false]);
  });

  it('leaves port 53 of the resolvers of this host, and what is opened by address and port', () => {
    const { opened } = refusalsOf(said(false, ['10.1.2.3:8080', '[fd12::1]:443']), {
      ...here,
      resolvers: ['127.0.0.53', '169.254.169.254', 'fe80::1'],
    });
    expect(opened).toEqual([
      { address: '169.254.169.254', port: 53 },
      { address: '10.1.2.3', port: 8080 },
    ]);
    expect(
      resolversIn(['# nameserver 9.9.9.9\nnameserver 10.0.0.2\n  nameserver\t10.0.0.3 \n', 'nameserver 10.0.0.2']),
    ).toEqual(['10.0.0.2', '10.0.0.3']);
  });

  it('becomes rules of which those that open come first, and that no text of a place can add to', () => {
    const refusals = { ranges: ['10.0.0.0/8', '1.2.3.4 -j ACCEPT'], opened: [{ address: '10.0.0.2', port: 53 }] };
    expect(rulesFor(refusals, ['172.18.0.1', '0.0.0.0/0\n-A OUTPUT -j ACCEPT', ''])).toBe(
      [
        '*filter',
        ':INPUT ACCEPT [0:0]',
        ':FORWARD ACCEPT [0:0]',
        ':OUTPUT ACCEPT [0:0]',
        '-A OUTPUT -o lo -j ACCEPT',
        '-A OUTPUT -d 10.0.0.2 -p tcp --dport 53 -j ACCEPT',
        '-A OUTPUT -d 10.0.0.2 -p udp --dport 53 -j ACCEPT',
        '-A OUTPUT -d 10.0.0.0/8 -p tcp -j REJECT --reject-with tcp-reset',
        '-A OUTPUT -d 10.0.0.0/8 -j REJECT --reject-with icmp-admin-prohibited',
        '-A OUTPUT -d 172.18.0.1 -p tcp -j REJECT --reject-with tcp-reset',
        '-A OUTPUT -d 172.18.0.1 -j REJECT --reject-with icmp-admin-prohibited',
        'COMMIT',
        '',
      ].join('\n'),
    );
  });
});
