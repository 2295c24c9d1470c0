/** One address and port of a private network, as `network.allow_private` has it: `10.1.2.3:8080`, `[fd12::1]:443`. */
import { purposeOf, readIp } from './ip.ts';

export interface Destination {
  /** Address in the form of `Ip.toString`. */
  readonly address: string;
  readonly port: number;
}

/** Who reaches the API of an engine is root on its host. */
const enginePorts = new Set([2375, 2376]);

/** A text that cannot be opened gives the reason, in words for the one who wrote it. */
export function parseDestination(text: string): Destination | string {
  const [, six, four, digits = ''] = /^(?:\[([^[\]]+)\]|([^:[\]]+)):(\d{1,5})$/.exec(text) ?? [];
  const ip = readIp(six ?? four ?? '');
  const port = Number(digits);
  if (ip === null || port < 1 || port > 65_535)
    return 'it is no address with a port, such as 10.1.2.3:8080 or [fd12::1]:443';
  const purpose = purposeOf(ip);
  if (purpose !== 'private' && purpose !== 'shared')
    return purpose === 'public'
      ? 'it is a public address, which needs no leave'
      : `a ${purpose} address is never opened`;
  return enginePorts.has(port) ? 'the ports of container engines are never opened' : { address: ip.toString(), port };
}
