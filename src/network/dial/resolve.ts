/**
 * Names by /etc/hosts and the name servers of this host, asked by c-ares. `getaddrinfo` would hold one of the four threads of the
 * process for each name that is not answered, and with them every other lookup and file.
 */
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { readIp } from '../../values/ip.ts';
import type { Lookup } from './vet.ts';

interface Sources {
  readonly hosts?: string;
  /** Absent: those of /etc/resolv.conf, as it is now. */
  readonly servers?: readonly string[];
}

const answerTimeoutMs = 2000;
const tries = 2;

export function resolveBy({ hosts = '/etc/hosts', servers }: Sources = {}): Lookup {
  return async (name) => {
    const written = addressesIn(await readFile(hosts, 'utf8').catch(() => ''), name);
    return written.length > 0 ? written : await asked(name, servers);
  };
}

/** hosts(5): an address and its names in each line. */
export function addressesIn(hosts: string, name: string): readonly string[] {
  const wanted = name.toLowerCase().replace(/\.$/, '');
  return hosts.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    const isOne = names.some((each) => each.toLowerCase().replace(/\.$/, '') === wanted);
    return isOne && address !== undefined && readIp(address) !== null ? [address] : [];
  });
}

async function asked(name: string, servers: readonly string[] | undefined): Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: answerTimeoutMs, tries });
  if (servers !== undefined) resolver.setServers(servers);
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = answers.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
  const [first] = answers;
  if (addresses.length === 0 && first.status === 'rejected') throw first.reason;
  return addresses;
}
