/** The configuration of a state directory, with the keys of all backends. */
import { join } from 'node:path';
import type { BackendEntry } from '../../backend.ts';
import { type BackendKeys, backendKeys } from '../../config/backends.ts';
import { sectionsOf } from '../../config/flags.ts';
import { checkHome } from '../../config/home.ts';
import { loadConfig } from '../../config/load.ts';
import { registeredBackends } from '../../config/registered.ts';
import { readConfigText } from '../../config/text.ts';
import type { Loaded } from '../../config/types.ts';
import { CaissonError } from '../../errors.ts';
import type * as Strict from '../../guard/strict.ts';
import { build } from '../../lib/build.ts';
import { findHome } from '../../lib/find-home.ts';
import { keptIn } from '../../lib/kept.ts';
import { nearest } from '../../lib/nearest.ts';
import type { OpenInput } from '../open.ts';

/** `OpenInput` with what is absent in it. */
export type Input = OpenInput & Required<Pick<OpenInput, 'env' | 'cwd'>>;

export type Entries = Readonly<Record<string, BackendEntry>>;

/** The backends of this build. */
export interface Built {
  readonly backends: Entries;
  /** The backend of a state directory that names none. */
  readonly usual: string;
}

export interface Configured {
  readonly entries: Entries;
  readonly keys: BackendKeys;
  readonly loaded: Loaded;
  /** `null`: the profile is another one. */
  readonly strict: typeof Strict | null;
}

export const inputOf = (given: OpenInput): Input => ({
  ...given,
  env: given.env ?? process.env,
  cwd: given.cwd ?? process.cwd(),
});

export const homeOf = (input: Input): string => input.home ?? findHome(input.env, input.cwd);

/** Throws `invalid_argument` and `failed_precondition` for what is wrong. `looksOnly`: no state directory is made. */
export async function configured(
  built: Built,
  input: Input,
  { looksOnly = false }: { readonly looksOnly?: boolean } = {},
): Promise<Configured> {
  const home = homeOf(input);
  await checkHome(home);
  const text = await readConfigText(home);
  const entries = await entriesOf(built, input, { home, text });
  const keeping = build === null || looksOnly ? undefined : { values: keptIn(join(home, 'cache', 'config')), build };
  const { env, cwd } = input;
  const flags = sectionsOf(input.flags ?? {});
  const keys = backendKeys(built.usual, entries);
  const read = await loadConfig({ env, cwd, home, text, flags, backends: keys, keeping, looksOnly });
  checkBackend(read, entries);
  return { entries, keys, ...(await underProfile(read)) };
}

async function entriesOf(
  { backends }: Built,
  { backends: given = {} }: Input,
  { home, text }: { readonly home: string; readonly text: string | null },
): Promise<Entries> {
  return { ...backends, ...(await registeredBackends({ home, text, given, taken: Object.keys(backends) })) };
}

/** Reads a file that was edited since, for the backends that are open: no module is loaded anew. */
export async function configuredAgain({ entries, keys, loaded: { home } }: Configured, input: Input): Promise<Loaded> {
  const { env, cwd } = input;
  const flags = sectionsOf(input.flags ?? {});
  const read = await loadConfig({ env, cwd, home, flags, backends: keys, looksOnly: true });
  checkBackend(read, entries);
  return (await underProfile(read)).loaded;
}

/**
 * Loads a text as if it were the file, and by itself: a switch, `.env` or a flag above it hides no mistake. Throws as the opening
 * does, and for backends of `tasks` and of the pool that are not there.
 */
export async function tried(built: Built, input: Input, text: string): Promise<Loaded> {
  const home = homeOf(input);
  await checkHome(home);
  const entries = await entriesOf(built, input, { home, text });
  const keys = backendKeys(built.usual, entries);
  const read = await loadConfig({ env: {}, cwd: input.cwd, home, text, backends: keys, looksOnly: true, alone: true });
  checkBackend(read, entries);
  checkTasks(read, entries);
  checkPool(read, entries);
  return read;
}

async function underProfile(written: Loaded): Promise<Pick<Configured, 'loaded' | 'strict'>> {
  const strict = written.config.policy.profile === 'strict' ? await import('../../guard/strict.ts') : null;
  return { strict, loaded: strict?.underProfile(written) ?? written };
}

function checkBackend({ config, origins }: Loaded, entries: Entries): void {
  checkName(config.terminal.backend, `terminal.backend, ${origins['terminal.backend'] ?? 'default'}`, entries);
}

function checkTasks({ config, forTask }: Loaded, entries: Entries): void {
  for (const [name, { backend }] of Object.entries(config.tasks))
    if (backend !== undefined)
      checkName(backend, `tasks.${name}.backend, ${forTask(name).originOf('backend')}`, entries);
}

function checkPool({ config }: Loaded, entries: Entries): void {
  for (const [name, { backend }] of Object.entries(config.pool.entries))
    if (backend !== undefined) checkName(backend, `pool.entries.${name}.backend`, entries);
}

function checkName(backend: string, where: string, entries: Entries): void {
  if (Object.hasOwn(entries, backend)) return;
  const near = nearest(backend, Object.keys(entries));
  throw new CaissonError('invalid_argument', `there is no backend ${JSON.stringify(backend)} (${where})`, {
    remedy: near === null ? `choose one of ${Object.keys(entries).join(', ')}` : `did you mean ${near}?`,
  });
}
