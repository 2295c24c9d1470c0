import { syncBuiltinESMExports } from 'node:module';
import os, { type NetworkInterfaceInfo } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { engineAddresses, ownAddresses } from '../../../src/network/address/here.ts';

const interfaces = (...addresses: readonly string[]): NodeJS.Dict<NetworkInterfaceInfo[]> => ({
  absent: undefined,
  eth0: addresses.map((address) => ({
    address,
    family: 'IPv4',
    netmask: '255.255.255.0',
    mac: '02:00:00:00:00:01',
    internal: false,
    cidr: null,
  })),
});

describe('the addresses of this host', () => {
  // After every moment at which another file of this process has read them.
  let now = 1e9;
  beforeEach(() => {
    // Each case begins long after what an earlier one has read.
    now += 10_000;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    vi.spyOn(os, 'networkInterfaces');
    syncBuiltinESMExports();
  });
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  const has = (...addresses: readonly string[]) =>
    vi.mocked(os.networkInterfaces).mockImplementation(() => interfaces(...addresses));

  it('are those of all interfaces in one notation, without the zone of a link-local one', () => {
    has('192.0.2.7', '2001:DB8:0::7', 'fe80::1%eth0', 'fe80::2%a%b', 'no address');
    expect([...ownAddresses()]).toEqual(['192.0.2.7', '2001:db8::7', 'fe80::1', 'fe80::2']);
  });

  it('are read again after a quarter of a second, and no sooner', () => {
    has('192.0.2.1');
    expect(ownAddresses()).toEqual(new Set(['192.0.2.1']));
    has('192.0.2.2');
    now += 250;
    expect(ownAddresses()).toEqual(new Set(['192.0.2.1']));
    now += 1;
    expect(ownAddresses()).toEqual(new Set(['192.0.2.2']));
    now += 250;
    expect(ownAddresses()).toEqual(new Set(['192.0.2.2']));
    expect(os.networkInterfaces).toHaveBeenCalledTimes(2);
  });
});

describe('the engines of this host', () => {
  it.each([
    ['tcp://10.1.2.3:8080', '10.1.2.3', 8080],
    ['TCP://10.1.2.3', '10.1.2.3', 2375],
    ['http://10.1.2.3:2376/', '10.1.2.3', 2376],
    ['https://10.1.2.3:8443', '10.1.2.3', 8443],
    ['tcp://[2001:db8:0::7]:99', '2001:db8::7', 99],
    ['tcp://engine.example:99', null, 99],
    ['tcp://engine.example', null, 2375],
  ])('listen where %s says, in DOCKER_HOST and in CONTAINER_HOST', (text, address, port) => {
    expect(engineAddresses({ DOCKER_HOST: text })).toEqual([{ address, port }]);
    expect(engineAddresses({ CONTAINER_HOST: text })).toEqual([{ address, port }]);
  });

  it('are two where both variables name one', () =>
    expect(engineAddresses({ DOCKER_HOST: 'tcp://10.0.0.1:1', CONTAINER_HOST: 'tcp://10.0.0.2:2' })).toEqual([
      { address: '10.0.0.1', port: 1 },
      { address: '10.0.0.2', port: 2 },
    ]));

  it.each(['', 'unix:///var/run/docker.sock', 'ssh://host', 'xtcp://10.0.0.1:1', 'fd://', 'tcp://', 'nothing'])(
    '%j is no port of the network',
    (text) => expect(engineAddresses({ DOCKER_HOST: text })).toEqual([]),
  );
});
