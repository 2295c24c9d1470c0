/** What the sandboxes of one owner of the service may be. */
import { z } from 'zod';
import { key } from '../../lib/config-key.ts';
import { registryLogins } from './registries.ts';

const ownerName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/)
  .refine((name) => name !== 'operator');
const texts = z.array(z.string().min(1).max(512)).min(1).max(100).optional();
const pebibyteInMb = 2 ** 30;
const megabytes = (least: number) => z.number().int().min(least).max(pebibyteInMb).optional();

export const ownerSection = z.strictObject({
  backends: key(
    texts,
    'a list of backends',
    'Backends that may be asked for; the first holds where terminal.backend is not in the list. Absent: all that keep owners apart.',
  ),
  images: key(texts, 'a list of images', 'Images that may be asked for; the first holds where none is. Absent: all.'),
  registries: key(
    registryLogins.optional(),
    'logins by the hosts of registries',
    'Logins to registries for images of this owner, as registries has them. Those of others are never used for it.',
  ),
  network: key(z.enum(['open', 'none']).optional(), 'open or none', 'none: no sandbox has a network.'),
  cpu: key(
    z.number().min(0.01).max(1024).optional(),
    'a number of cores from 0.01 on',
    'Cores that a sandbox has at most.',
  ),
  memory: key(megabytes(6), 'whole megabytes from 6 on', 'Megabytes of memory that a sandbox has at most.'),
  disk: key(megabytes(1), 'whole megabytes from 1 on', 'Megabytes of disk that a sandbox has at most.'),
});

export const ownersKey = z.record(ownerName, ownerSection).describe('What owners of the service may have, by name.');
