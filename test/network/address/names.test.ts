import { describe, expect, it } from 'vitest';
import { reasonAgainstName } from '../../../src/network/address/names.ts';

const thisHost = 'a name for this host';
const metadata = 'the metadata service of a cloud';
const engine = 'a name for the host of a container engine';

describe('a name', () => {
  it.each([
    ['localhost', thisHost],
    ['localhost.localdomain', thisHost],
    ['ip6-localhost', thisHost],
    ['ip6-loopback', thisHost],
    ['broadcasthost', thisHost],
    ['a.localhost', thisHost],
    ['a.b.localhost', thisHost],
    ['metadata', metadata],
    ['metadata.goog', metadata],
    ['metadata.google.internal', metadata],
    ['vm.metadata.google.internal', metadata],
    ['metadata.azure.internal', metadata],
    ['metadata.azure.com', metadata],
    ['metadata.tencentyun.com', metadata],
    ['metadata.platformequinix.com', metadata],
    ['instance-data', metadata],
    ['instance-data.ec2.internal', metadata],
    ['host.docker.internal', engine],
    ['gateway.docker.internal', engine],
    ['kubernetes.docker.internal', engine],
    ['vm.docker.internal', engine],
    ['host.containers.internal', engine],
    ['host.lima.internal', engine],
    ['host.orb.internal', engine],
  ])('%s is %s', (host, reason) => expect(reasonAgainstName(host)).toBe(reason));

  it.each([
    '',
    'example.com',
    'notlocalhost',
    'localhost.example',
    'xmetadata.google.internal',
    'google.internal',
    'instance-data.example',
    'docker.internal',
    'other.docker.internal',
  ])('%j is any host, whose addresses decide', (host) => expect(reasonAgainstName(host)).toBeNull());
});
