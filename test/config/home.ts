/** A state directory of a test's own. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load.ts';
import { known } from './known.ts';
import type { Loaded } from '../../src/config/types.ts';

export interface Files {
  readonly config?: string;
  readonly dotenv?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Also wrong ones: they come from a command line. */
  readonly flags?: object;
}

export interface Home extends AsyncDisposable {
  readonly path: string;
  load(files?: Files): Promise<Loaded>;
}

export async function newHome(): Promise<Home> {
  const path = await mkdtemp(join(tmpdir(), 'caisson-config-'));
  return {
    path,
    async load({ config, dotenv, env = {}, flags }: Files = {}): Promise<Loaded> {
      if (config !== undefined) await write(join(path, 'config.yaml'), config);
      if (dotenv !== undefined) await write(join(path, '.env'), dotenv);
      return await loadConfig({
        backends: known,
        home: path,
        env,
        cwd: '/',
        ...(flags === undefined ? {} : { flags }),
      });
    },
    [Symbol.asyncDispose]: async () => await rm(path, { recursive: true, force: true }),
  };
}

async function write(path: string, text: string): Promise<void> {
  await writeFile(path, text);
  await chmod(path, 0o600);
}
