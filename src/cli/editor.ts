/** The user's editor, on the terminal of this process. */
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CaissonError } from '../errors.ts';
import type { Env } from './world.ts';

export interface Draft extends AsyncDisposable {
  /** Opens the editor on it and waits for its end; the text then. */
  edit(): Promise<string>;
}

/** In a directory that only this user can look into: the text may hold secrets. */
export async function draftOf(text: string, env: Env): Promise<Draft> {
  const directory = await mkdtemp(join(tmpdir(), 'caisson-edit-'));
  const path = join(directory, 'config.yaml');
  await writeFile(path, text, { mode: 0o600 });
  return {
    edit: async () => {
      await run(env, path);
      return await readFile(path, 'utf8');
    },
    [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }),
  };
}

/** Words apart, as `code --wait`; no shell reads them. */
async function run(env: Env, path: string): Promise<void> {
  const editor = env['VISUAL'] || env['EDITOR'] || 'vi';
  const [program = 'vi', ...args] = editor.trim().split(/\s+/);
  const child = spawn(program, [...args, path], { stdio: 'inherit', env });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const code = await ended.catch((cause: unknown) => {
    throw new CaissonError('failed_precondition', `the editor ${program} cannot be started`, {
      cause,
      remedy: 'name one in VISUAL or EDITOR',
    });
  });
  if (code !== 0)
    throw new CaissonError('canceled', `the editor ended with ${code ?? 'a signal'}: nothing has changed`);
}
