/** What the sandboxes of one owner of the service may be. */
import { z } from 'zod';
import { checkedText, key } from '../../lib/config-key.ts';
import { credentialPathProblem } from '../../values/credential-path.ts';
import { forwardProblem } from '../../values/env.ts';
import { networkModes } from '../../values/network-modes.ts';
import { rulesKey } from './approvals.ts';
import { networkMode, networkPart } from './network.ts';
import { registryLogins } from './registries.ts';

const ownerName = z.string().regex(/^[a-z][a-z0-9-]{0,31}$/);
const texts = z.array(z.string().min(1).max(512)).min(1).max(100).optional();
const pebibyteInMb = 2 ** 30;
const count = z.number().int().min(0).max(1_000_000).optional();
/** Everything else of the operator is said in other sections. */
const ofOperator = new Set([
  ...['sandboxes', 'execs', 'requests_per_minute'],
  ...['total_cpu', 'total_memory', 'total_disk'],
]);
const megabytes = (least: number) => z.number().int().min(least).max(pebibyteInMb).optional();

const variable = checkedText(forwardProblem).max(255);
const hostPath = z
  .string()
  .max(4096)
  .regex(/^\/[^\0\n]+$/);

const secrets = z.strictObject({
  variables: z.record(variable, z.strictObject({ from_env: variable })).optional(),
  files: z.record(checkedText(credentialPathProblem), hostPath).optional(),
});

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
  secrets: key(
    secrets.optional(),
    'variables, each NAME: {from_env: VARIABLE}, and files, each PATH: /path/of/this/host',
    'Variables, and files below terminal.credential_directory, that commands of this owner see and no one else.',
  ),
  network: key(
    z.union([networkMode, networkPart]).optional(),
    `${networkModes.join(', ')}, or an object of mode, allow, deny, ports and presets`,
    'The widest network that a sandbox has, and what it may reach where it is filtered, instead of what network says.',
  ),
  cpu: key(
    z.number().min(0.01).max(1024).optional(),
    'a number of cores from 0.01 on',
    'Cores that a sandbox has at most.',
  ),
  memory: key(megabytes(6), 'whole megabytes from 6 on', 'Megabytes of memory that a sandbox has at most.'),
  disk: key(megabytes(1), 'whole megabytes from 1 on', 'Megabytes of disk that a sandbox has at most.'),
  sandboxes: key(count, 'a whole number from 0 on', 'Sandboxes at the same time, stopped ones among them.'),
  execs: key(
    count,
    'a whole number from 0 on',
    'Commands that run, or wait for an answer, at the same time; detached processes as long as they live.',
  ),
  requests_per_minute: key(
    z.number().int().min(1).max(1_000_000).optional(),
    'a whole number from 1 on',
    'Requests to one service in a minute.',
  ),
  total_cpu: key(
    z.number().min(0.01).max(1_000_000).optional(),
    'a number of cores from 0.01 on',
    'Cores of all sandboxes together.',
  ),
  total_memory: key(megabytes(6), 'whole megabytes from 6 on', 'Megabytes of memory of all sandboxes together.'),
  rules: rulesKey.optional(),
  total_disk: key(megabytes(1), 'whole megabytes from 1 on', 'Megabytes of disk of all sandboxes together.'),
});

export const ownersKey = z
  .record(ownerName, ownerSection)
  .superRefine((owners, context) => {
    for (const name of Object.keys(owners['operator'] ?? {}).filter((each) => !ofOperator.has(each)))
      context.addIssue({
        code: 'custom',
        path: ['operator', name],
        message: `what the operator may have is said in terminal: of operator only ${[...ofOperator].join(', ')} are taken`,
      });
    if (owners['default']?.secrets !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['default', 'secrets'],
        message: 'secrets are of one owner, and default stands for many: name each',
      });
  })
  .describe('What owners of the service may have, by name; default: those that are not named.');
