import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addressesIn, resolveBy } from '../../../src/network/dial/resolve.ts';

describe('names in /etc/hosts', () => {
  it.each([
    ['127.0.0.1 localhost', 'localhost', ['127.0.0.1']],
    ['10.0.0.1\tmirror Mirror.Example # the mirror\n10.0.0.2 other', 'mirror.example', ['10.0.0.1']],
    ['10.0.0.1 mirror.example', 'mirror.example.', ['10.0.0.1']],
    ['::1 both\n127.0.0.1 both', 'both', ['::1', '127.0.0.1']],
    ['# 10.0.0.1 mirror', 'mirror', []],
    ['no-address mirror', 'mirror', []],
    ['10.0.0.1 mirror', '10.0.0.1', []],
  ])('%j has %s', (hosts, name, addresses) => expect(addressesIn(hosts, name)).toEqual(addresses));
});

it('eight names that no server answers hold up neither a name of the file nor the threads of the process', async () => {
  const silent = createSocket('udp4').bind(0, '127.0.0.1');
  await once(silent, 'listening');
  const directory = mkdtempSync(join(tmpdir(), 'caisson-hosts-'));
  const hosts = join(directory, 'hosts');
  writeFileSync(hosts, '192.0.2.7 mirror.example\n');
  try {
    const lookup = resolveBy({ hosts, servers: [`127.0.0.1:${silent.address().port}`] });
    let ended = 0;
    const slow = Array.from({ length: 8 }, (_, at) => lookup(`slow${at}.example`).finally(() => (ended += 1)));
    expect(await lookup('mirror.example')).toEqual(['192.0.2.7']);
    expect(ended).toBe(0);
    const settled = await Promise.allSettled(slow);
    expect(settled.map(({ status }) => status)).toEqual(Array(8).fill('rejected'));
  } finally {
    silent.close();
    rmSync(directory, { recursive: true });
  }
}, 30_000);
