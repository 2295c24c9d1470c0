import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Refusal } from './refuse.ts';

const run = promisify(execFile);

/** A program of this host, to its end. */
export async function runTool(program: string, args: readonly string[]): Promise<void> {
  try {
    await run(program, args);
  } catch (error) {
    throw new Refusal('INTERNAL', `${program} failed: ${error instanceof Error ? error.message.slice(0, 500) : ''}`);
  }
}
