/** Scripts of the operator that see a command before it runs. */
import { z } from 'zod';
import { flagKey, key } from '../../lib/config-key.ts';

const mostScripts = 64;
const mostUnits = 4096;

/** `/`, `~/`, or a path in the state directory; never a line for a shell. */
const program = z
  .string()
  .min(1)
  .max(mostUnits)
  .regex(/^[^\0\n]+$/);

const script = z.union([
  program,
  z.strictObject({
    command: z.union([program, z.tuple([program], z.string().max(mostUnits))]),
    timeout: z.number().min(1).max(300).optional(),
    fail_closed: z.boolean().optional(),
  }),
]);

/** A tool's name, or `*` for all of them. */
const tool = z.string().regex(/^(?:[A-Za-z][\w.-]{0,63}|\*)$/);

export const hooksSection = z.strictObject({
  pre_tool_call: key(
    z.record(tool, z.array(script).max(mostScripts)),
    'lists of scripts by tool, each a path or {command, timeout, fail_closed}',
    'Scripts that receive a call before it runs, and may block or change it.',
  ),
  auto_accept: flagKey('Accept scripts that are not known yet as they are, without caisson hooks accept.'),
});
