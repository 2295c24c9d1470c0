/** MCP servers, which run as children of the process that uses them, or in sandboxes. */
import { z } from 'zod';
import { toCaissonError } from '../../errors.ts';
import { checkExecEnv } from '../../values/env.ts';
import { key } from '../../lib/config-key.ts';

const maxUnits = 4096;
const maxArguments = 256;

const pebibyteInMb = 2 ** 30;
const megabytes = (least: number) => z.number().int().min(least).max(pebibyteInMb).optional();

const word = z
  .string()
  .max(maxUnits)
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
  args: key(z.array(word).max(maxArguments).optional(), 'a list of arguments', 'Its arguments.'),
  env: key(
    environment.optional(),
    'texts by names of variables',
    'What it gets besides PATH, HOME and their like. Its values count as secrets.',
  ),
  backend: key(
    z
      .string()
      .regex(/^[a-z][a-z0-9-]{0,31}$/)
      .optional(),
    'the name of a backend',
    'Where `caisson mcp run` makes its sandbox. Absent: terminal.backend.',
  ),
  image: key(
    z.string().min(1).max(512).optional(),
    'an image',
    'The image of its sandbox, which must hold the program.',
  ),
  network: key(z.enum(['open', 'none']).optional(), 'open or none', 'The network of its sandbox. Absent: none.'),
  cpu: key(z.number().min(0.01).max(1024).optional(), 'a number of cores from 0.01 on', 'Cores of its sandbox.'),
  memory: key(megabytes(6), 'whole megabytes from 6 on', 'Megabytes of memory of its sandbox.'),
  disk: key(megabytes(1), 'whole megabytes from 1 on', 'Megabytes that its sandbox may write.'),
  share: key(
    z.boolean().optional(),
    'true or false',
    'Run it in the sandbox of the task instead, where commands of the task can read what it is given. Absent: false.',
  ),
});

export const serversKey = z
  .record(serverName, serverSection)
  .describe('MCP servers that are started as children, by name; each gets its own variables and no others.');
