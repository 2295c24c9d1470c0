/** Types of the keys `terminal.ssh_*`, with what each means. */
import { z } from 'zod';
import { flagKey, key } from '../../src/lib/config-key.ts';

/** Never the beginning of an option, and nothing that a shell or a log could take for something else. */
const hostName = /^[A-Za-z0-9_:][A-Za-z0-9_.:%-]{0,254}$/;
const userName = /^[A-Za-z0-9_][A-Za-z0-9_.@\\-]{0,127}$/;

const hostKeys = {
  host: key(
    z.string().regex(hostName).nullable(),
    'a host name, an address or a Host of ~/.ssh/config, or null',
    'Host of the ssh backend. null: absent.',
  ),
  user: key(
    z.string().regex(userName).nullable(),
    'a user name, or null',
    'Account on that host. null: as ~/.ssh/config has it, else the name of the user who runs Caisson.',
  ),
  port: key(
    z.number().int().min(1).max(65_535).nullable(),
    'a port from 1 to 65535, or null',
    'Port of sshd. null: as ~/.ssh/config has it, else 22.',
  ),
  key: key(
    z.string().min(1).max(4096).nullable(),
    'a path to a private key, or null',
    'Private key to log in with; ~ is the home directory. null: as ~/.ssh/config has it, else the agent and the usual files in ~/.ssh.',
  ),
};

/** One host of the pool. What it leaves out is as the ssh_* keys above have it. */
const pooledHost = z.strictObject({
  host: hostKeys.host.optional(),
  user: hostKeys.user.optional(),
  port: hostKeys.port.optional(),
  key: hostKeys.key.optional(),
  capacity: key(
    z.number().int().min(0).max(100_000).nullable().optional(),
    'a number of sandboxes from 0 on, or null',
    'How many sandboxes of this installation the host takes. null: any number.',
  ),
  drain: flagKey('Take no new tasks; what is there goes on.').optional(),
});

export const schema = {
  ...hostKeys,
  hosts: key(
    z.record(z.string().regex(hostName), pooledHost),
    'host, user, port, key, capacity and drain of each host by its name',
    'Pool of hosts of the ssh backend by name, instead of ssh_host. A task stays on the host where it began.',
  ),
} as const;
