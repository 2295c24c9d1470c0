/** MCP servers, which run as children of the process that uses them. */
import { z } from 'zod';
import { toCaissonError } from '../../errors.ts';
import { checkExecEnv } from '../../values/env.ts';
import { key } from '../../lib/config-key.ts';

const mostUnits = 4096;
const mostArguments = 256;

const word = z
  .string()
  .max(mostUnits)
  .regex(/^[^\0]*$/);

const environment = z.record(z.string(), z.string()).check((context) => {
  try {
    checkExecEnv(context.value, { operator: true });
  } catch (error) {
    context.issues.push({ code: 'custom', message: toCaissonError(error).message, input: null });
  }
});

const serverName = z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/);

export const serverSection = z.strictObject({
  command: key(word.min(1), 'a program by name or path', 'The program; no shell reads it.'),
  args: key(z.array(word).max(mostArguments).optional(), 'a list of arguments', 'Its arguments.'),
  env: key(
    environment.optional(),
    'texts by names of variables',
    'What it gets besides PATH, HOME and their like. Its values count as secrets.',
  ),
});

export const serversKey = z
  .record(serverName, serverSection)
  .describe('MCP servers that are started as children, by name; each gets its own variables and no others.');
