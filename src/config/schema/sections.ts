/** The sections that are about Caisson itself. */
import { z } from 'zod';
import type { BudgetName } from '../../budget/types.ts';
import { flagKey, key } from '../../lib/config-key.ts';
import { poolEntries } from './pool.ts';

const bytes = z
  .number()
  .int()
  .min(1024)
  .max(2 ** 50);
const tenYearsSeconds = 315_360_000;
const expectsBytes = 'whole bytes from 1024 on, or a size such as 64m';

export const policySection = z.strictObject({
  require_patched_runtime: flagKey('Refuse to create sandboxes on a runtime with known ways out of the container.'),
  profile: key(
    z.enum(['standard', 'strict']),
    'standard or strict',
    'standard: what is known to be dangerous is asked for. strict: what is not on a narrow list is asked for.',
  ),
  container_hardline: flagKey('Keep the list of commands that are always refused on inside containers too.'),
});

export const execSection = z.strictObject({
  lanes: flagKey('Run plain commands through shells that stay in the sandbox, which takes a tenth of the time.'),
  output_bytes: key(bytes, expectsBytes, 'Bytes kept of each stream in a result: its beginning and its end.'),
  spill_bytes: key(bytes, expectsBytes, 'Bytes of output that are recorded on disk for one command.'),
  retention_seconds: key(
    z.number().int().min(0).max(tenYearsSeconds),
    'whole seconds from 0 on',
    'Seconds for which the record of a finished command is kept.',
  ),
  store_bytes: key(bytes, expectsBytes, 'Bytes that all records together may take; the oldest go first.'),
});

export const auditSection = z.strictObject({
  file_bytes: key(bytes, expectsBytes, 'Bytes after which a file of the audit is closed and a new one is begun.'),
  store_bytes: key(
    bytes.nullable(),
    `${expectsBytes}, or null`,
    'Bytes that the whole audit may take; the oldest files go first, and a record tells that they went. null: none goes.',
  ),
});

const maxOfLimit = 2 ** 50;
const limit = z.number().int().min(1).max(maxOfLimit).nullable().optional();
const sharedBy = (what: string) =>
  key(
    z.strictObject({ total: limit, per_owner: limit }),
    'total and per_owner, each a whole number from 1 on, or null',
    what,
  ).optional();

const limitsShape = {
  questions: sharedBy('Commands that wait for an answer.'),
  staged_bytes: sharedBy('Bytes of uploads and archives on their way, on the disk of the state directory.'),
  file_bytes: sharedBy('Bytes of files that requests hold in memory.'),
  connections: sharedBy('Open connections to the service.'),
  strangers: sharedBy('Open connections that have shown no token; per_owner is for each address.'),
  creations: sharedBy('Sandboxes that are being made, or wait for their turn.'),
  watches: sharedBy('Directories that are watched.'),
  checks: sharedBy('Commands that are checked at the same moment without being run.'),
} satisfies Readonly<Record<BudgetName, z.ZodType>>;

const names = (expects: string, about: string) => key(z.array(z.string().min(1).max(253)).max(100), expects, about);
const path = z.string().min(1).max(4096).nullable();

export const serviceSection = z.strictObject({
  host: key(z.string().min(1).max(253), 'an address of this host', 'Address on which `caisson serve` listens.'),
  port: key(z.number().int().min(0).max(65_535), 'a port from 0 to 65535', 'Its port. 0: one that is free.'),
  socket: key(path, 'a path, or null', 'A unix socket to listen on instead, for this user alone.'),
  hosts: names('a list of host names', 'Further names by which clients may call the service.'),
  origins: names('a list of origins', 'Web pages that may call the service, as https://NAME.'),
  tls_cert: key(path, 'a path, or null', 'A certificate, with those that it follows from (PEM).'),
  tls_key: key(path, 'a path, or null', 'The key of the certificate (PEM).'),
  proxies: names('a list of addresses', 'Proxies in front of the service that speak TLS for it.'),
  shutdown_seconds: key(
    z.number().min(0).max(3600),
    'seconds from 0 to 3600',
    'Seconds that commands have to end when the service stops.',
  ),
  dashboard: key(z.boolean(), 'true or false', 'Whether `/` is the dashboard, a page for people.'),
  samples: key(z.boolean(), 'true or false', 'Whether the service keeps what sandboxes have used, for a day.'),
  limits: key(
    z.strictObject(limitsShape),
    'budgets by name, each with total and per_owner',
    'What all callers together, and each owner, may hold at once. The operator has the total. null: no limit.',
  ),
});

export const poolSection = z.strictObject({
  create_concurrency: key(
    z.number().int().min(1).max(1024).nullable(),
    'a whole number from 1 on, or null',
    'Sandboxes that are created at the same time. null: twice the cores of this host.',
  ),
  entries: key(
    poolEntries,
    'entries by name, each with size and what its sandboxes are made from',
    'Sandboxes that the service makes ahead of demand, by names of your own.',
  ),
  keep: flagKey('Whether those that no task has taken stay when the service stops.'),
});
