/** Grammars that several tools share. */
import { z } from 'zod';
import { cursorText } from '../output/cursor.ts';

const maxTextUnits = 1024 * 1024;

export const task = z
  .string()
  .regex(/^(?:[a-z0-9][a-z0-9_-]{0,62}|sbx_[a-z0-9]{16})$/)
  .describe('Name of the task, chosen by you: lower-case letters, digits, - and _. Each task has its own sandbox.');
export const newTask = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/)
  .describe('Name of the task, chosen by you: lower-case letters, digits, - and _.');
export const execId = z
  .string()
  .regex(/^exec_[A-Za-z0-9_-]{1,64}$/)
  .describe('Id of a command, as run_command gave it.');
export const wantedExecId = z
  .string()
  .regex(/^exec_[A-Za-z0-9_-]{1,64}$/)
  .optional()
  .describe('Idempotency key: a repeated one gives the same run, and runs nothing again.');
export const session = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,62}$/)
  .describe('Name of a shell of the task that keeps its directory, variables and functions between commands.');
export const path = z
  .string()
  .min(1)
  .max(4096)
  .describe('In the sandbox. A relative path starts where commands start.');
export const user = z
  .string()
  .max(65)
  .optional()
  .describe('User of the sandbox that runs it, as app or 1000:1000, on docker. Absent: root.');
export const text = z.string().max(maxTextUnits);
export const env = z.record(z.string().max(256), z.string().max(128 * 1024)).optional();
export const timeoutMs = z.int().min(1).optional().describe('After which the command is killed.');
export const after = cursorText.optional().describe('`next` of the result before. Absent: from the beginning.');
