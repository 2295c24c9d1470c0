/** Scripts of the operator that see a command before it runs. */
import { z } from 'zod';
import { flagKey, key } from '../../lib/config-key.ts';

const maxScripts = 64;
const maxUnits = 4096;

/** `/`, `~/`, or a path in the state directory; never a line for a shell. */
const program = z
  .string()
  .min(1)
  .max(maxUnits)
  .regex(/^[^\0\n]+$/);

const script = z.union([
  program,
  z.strictObject({
    command: z.union([program, z.tuple([program], z.string().max(maxUnits))]),
    timeout: z.number().min(1).max(300).optional(),
    fail_closed: z.boolean().optional(),
  }),
]);

/** A tool's name, or `*` for all of them. */
const tool = z.string().regex(/^(?:[A-Za-z][\w.-]{0,63}|\*)$/);

export const hooksSection = z.strictObject({
  pre_tool_call: key(
    z.record(tool, z.array(script).max(maxScripts)),
    'lists of scripts by tool, each a path or {command, timeout, fail_closed}',
    'Scripts that receive a call before it runs, and may block or change it.',
  ),
  auto_accept: flagKey('Accept scripts that are not known yet as they are, without caisson hooks accept.'),
});
