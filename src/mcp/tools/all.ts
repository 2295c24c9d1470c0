/** Every tool, in the order of the list. */
import type { Scope } from '../../service/api.ts';
import type { Tool } from '../tool.ts';
import { runCode, runCommand } from './commands.ts';
import { editFile, listFiles, readFile, searchFiles, writeFile } from './files.ts';
import { readOutput, stopProcess } from './output.ts';
import { createSandbox, inspectSandbox, listSandboxes, removeSandbox, stopSandbox } from './sandboxes.ts';

const all: readonly Tool[] = [
  ...[runCommand, runCode, readOutput, stopProcess],
  ...[createSandbox, listSandboxes, inspectSandbox, stopSandbox, removeSandbox],
  ...[readFile, writeFile, editFile, listFiles, searchFiles],
];

/** Those that a caller may use. */
export const toolsFor = (scopes: readonly Scope[]): readonly Tool[] =>
  all.filter(({ scope }) => scopes.includes(scope));
