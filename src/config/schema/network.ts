/** Which addresses may be connected to, beyond those of the internet. */
import { z } from 'zod';
import { checkedText, flagKey, key } from '../../lib/config-key.ts';
import { parseDestination } from '../../values/destination.ts';
import { presetNames } from '../../values/egress-presets.ts';
import { allowProblem, hostPattern } from '../../values/host-pattern.ts';
import { nat64Prefix } from '../../values/nat64.ts';
import { networkModes } from '../../values/network-modes.ts';

const destination = checkedText((text) => {
  const read = parseDestination(text);
  return typeof read === 'string' ? read : null;
});

const prefix = checkedText((text) =>
  nat64Prefix(text) === null ? 'it is no prefix of 32, 40, 48, 56, 64 or 96 bits, such as 64:ff9b::/96' : null,
);

const allowed = checkedText(allowProblem);
const denied = checkedText((text) => {
  const read = hostPattern(text);
  return typeof read === 'string' ? read : null;
});
const port = z
  .number()
  .int()
  .min(1)
  .max(65_535)
  .refine((value) => value !== 25);

export const networkMode = z.enum(networkModes);

export const networkSection = z.strictObject({
  mode: key(
    networkMode.nullable(),
    `${networkModes.join(', ')}, or null`,
    'The network of sandboxes of which nothing else says it. null: the key of the backend under terminal.',
  ),
  allow: key(
    z.array(allowed).max(1000),
    'hosts such as example.com, *.example.com or example.com:8443',
    'Hosts that sandboxes with a filtered network may reach.',
  ),
  deny: key(
    z.array(denied).max(1000),
    'hosts such as example.com or *.example.com',
    'Hosts that sandboxes with a filtered network may not reach, whatever else allows them.',
  ),
  ports: key(z.array(port).max(100), 'ports from 1 to 65535, but not 25', 'Ports of allowed hosts beside 80 and 443.'),
  presets: key(
    z.array(z.enum(presetNames)).max(100),
    `names of ${presetNames.join(', ')}`,
    'Lists of hosts that come with Caisson, and are allowed.',
  ),
  ask: flagKey('Whether a denied connection becomes a question, whose answer holds for the next command.'),
  allow_private: key(
    z.array(destination).max(1000),
    'addresses with ports, such as 10.1.2.3:8080',
    'Single addresses of private networks that may be connected to, each with its port.',
  ),
  open_private: key(
    z.boolean().nullable(),
    'true, false or null',
    'Whether sandboxes with an open network reach private networks. null: no, where the place can keep them from it.',
  ),
  nat64_prefix: key(
    prefix.nullable(),
    'a prefix such as 64:ff9b::/96, or null',
    'The prefix by which the network of this host translates IPv6 to IPv4. null: it does not.',
  ),
});

/** Keys of `network` that a task or an owner may set. */
export const networkPart = z.strictObject({
  mode: networkMode.optional(),
  ...networkSection.pick({ allow: true, deny: true, ports: true, presets: true }).partial().shape,
});
