/** Which addresses may be connected to, beyond those of the internet. */
import { z } from 'zod';
import { checkedText, key } from '../../lib/config-key.ts';
import { destinationOf } from '../../values/destination.ts';
import { nat64Prefix } from '../../values/nat64.ts';

const destination = checkedText((text) => {
  const read = destinationOf(text);
  return typeof read === 'string' ? read : null;
});

const prefix = checkedText((text) =>
  nat64Prefix(text) === null ? 'it is no prefix of 32, 40, 48, 56, 64 or 96 bits, such as 64:ff9b::/96' : null,
);

export const networkSection = z.strictObject({
  allow_private: key(
    z.array(destination).max(1000),
    'addresses with ports, such as 10.1.2.3:8080',
    'Single addresses of private networks that may be connected to, each with its port.',
  ),
  nat64_prefix: key(
    prefix.nullable(),
    'a prefix such as 64:ff9b::/96, or null',
    'The prefix by which the network of this host translates IPv6 to IPv4. null: it does not.',
  ),
});
