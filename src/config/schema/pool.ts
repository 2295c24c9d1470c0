/** Sandboxes that are made ahead of demand. */
import { z } from 'zod';
import { checkedText, flagKey, key } from '../../lib/config-key.ts';
import { placedImageProblem } from '../../values/image.ts';

const pebibyteInMb = 2 ** 30;
const daySeconds = 86_400;
const megabytes = (least: number) => z.number().int().min(least).max(pebibyteInMb).nullable().optional();

/** A network of mode `observe` is recorded for its task, which a member of the pool has not yet. */
const pooledModes = ['open', 'filtered', 'none'] as const;

const poolEntry = z.strictObject({
  size: key(z.number().int().min(1).max(500), 'a whole number from 1 to 500', 'Sandboxes that stand ready.'),
  memory_bytes: key(
    z
      .number()
      .int()
      .min(1024)
      .max(2 ** 50)
      .nullable()
      .optional(),
    'whole bytes from 1024 on, or null',
    'Bytes that the memory limits of all that stand ready may add up to. null or absent: as many as size says.',
  ),
  max_age: key(
    z
      .number()
      .int()
      .min(10)
      .max(30 * daySeconds)
      .optional(),
    'whole seconds from 10 to thirty days',
    'Seconds after which one that no task has taken is removed, and another made. Absent: one hour.',
  ),
  backend: key(z.string().min(1).max(32).optional(), 'the name of a backend', 'Absent: terminal.backend.'),
  image: key(
    checkedText(placedImageProblem).max(512).optional(),
    'an image in the form of the backend',
    'Absent: the one that terminal has for the backend.',
  ),
  network: key(z.enum(pooledModes).optional(), pooledModes.join(', '), 'Absent: what network.mode and terminal say.'),
  persistent: flagKey('Whether files survive a stop. Absent: terminal.container_persistent.').optional(),
  cpu: key(z.number().min(0.01).max(1024).nullable().optional(), 'a number of cores from 0.01 on, or null', 'Cores.'),
  memory: key(megabytes(6), 'whole megabytes from 6 on, or null', 'Megabytes of memory.'),
  disk: key(megabytes(1), 'whole megabytes from 1 on, or null', 'Megabytes of disk.'),
  pids: key(
    z
      .number()
      .int()
      .min(1)
      .max(2 ** 22)
      .nullable()
      .optional(),
    'a whole number from 1 on, or null',
    'Processes and threads.',
  ),
  read_only: flagKey('Whether the root can be read only. Absent: terminal.container_read_only.').optional(),
  seccomp: key(z.enum(['builtin', 'engine']).optional(), 'builtin or engine', 'Whose list of system calls holds.'),
  runtime: key(z.string().min(1).max(64).nullable().optional(), 'a runtime of the engine, or null', 'Its runtime.'),
  shm_bytes: key(
    z
      .number()
      .int()
      .min(1024)
      .max(2 ** 50)
      .nullable()
      .optional(),
    'whole bytes from 1024 on, or null',
    'Bytes of /dev/shm.',
  ),
});

export const poolEntries = z.record(z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/), poolEntry);
