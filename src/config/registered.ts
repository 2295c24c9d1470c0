/**
 * Backends of others: given by the program that opens Caisson, or named under `backends` in the home's own configuration. A
 * project can name none, since a module runs with the rights of Caisson itself.
 */
import { realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BackendEntry, BackendLoader, BackendModule, Guarantees } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import { importModule } from './import.ts';
import { refuseWritable } from './home.ts';
import { configFile } from './text.ts';

export interface Registered extends BackendEntry {
  /** The module's path, or `null` for one that the program gave. */
  readonly module: string | null;
}

export interface Registration {
  readonly home: string;
  /** Text of the home's file; `null`: the home has no file. */
  readonly text: string | null;
  /** Loaders that the caller gives, by the name of the backend. */
  readonly given: Readonly<Record<string, BackendLoader>>;
  /** Names that are taken. */
  readonly taken: readonly string[];
}

const namePattern = /^[a-z][a-z0-9-]{0,31}$/;
const isolations: readonly string[] = ['none', 'remote-host', 'container', 'vm'] satisfies Guarantees['isolation'][];

/**
 * Throws `invalid_argument` for a name that is taken or is not a name, and for a module that is not a backend;
 * `failed_precondition` for one that cannot be loaded, or that other users can write.
 */
export async function registeredBackends({
  home,
  text,
  given,
  taken,
}: Registration): Promise<Readonly<Record<string, Registered>>> {
  const found: Record<string, Registered> = {};
  for (const [name, load] of Object.entries(given)) {
    checkName(name, taken);
    found[name] = { ...entryOf(name, await load()), module: null };
  }
  for (const [name, path] of await modulesIn(text, configFile(home))) {
    checkName(name, [...taken, ...Object.keys(found)]);
    const module = await checkedPath(resolve(home, path));
    found[name] = { ...entryOf(name, await imported(module)), module };
  }
  return found;
}

/** Names and paths; what is not of that form is reported by the check of the whole file. */
async function modulesIn(text: string | null, file: string): Promise<readonly (readonly [string, string])[]> {
  if (text?.includes('backends') !== true) return [];
  const { parseYaml } = await import('./document.ts');
  const { value } = parseYaml(text, file);
  const section: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, 'backends') : null;
  if (typeof section !== 'object' || section === null || Array.isArray(section)) return [];
  return Object.entries(section).flatMap(([name, path]: [string, unknown]) =>
    typeof path === 'string' ? [[name, path] as const] : [],
  );
}

function checkName(name: string, taken: readonly string[]): void {
  if (!namePattern.test(name))
    throw new CaissonError('invalid_argument', `${JSON.stringify(name.slice(0, 64))} is not a name of a backend`, {
      remedy: 'use 1 to 32 lower-case letters, digits and dashes, a letter first',
    });
  if (taken.includes(name))
    throw new CaissonError('invalid_argument', `there is a backend ${name} already`, {
      remedy: 'register yours under another name',
    });
}

/** The file itself, links followed: a user who can write it or a directory above it has the rights of Caisson. */
async function checkedPath(path: string): Promise<string> {
  const file = await realpath(path).catch((cause: unknown) => {
    throw new CaissonError('failed_precondition', `the module ${path} of a backend cannot be read`, {
      cause,
      remedy: 'correct its path under backends: it is relative to the state directory',
    });
  });
  const found = await stat(file);
  if (!found.isFile()) throw new CaissonError('failed_precondition', `${file} is not a regular file`);
  refuseWritable(file, found);
  for (let directory = dirname(file); ; directory = dirname(directory)) {
    refuseWritable(directory, await stat(directory));
    if (directory === dirname(directory)) return file;
  }
}

async function imported(path: string): Promise<unknown> {
  try {
    return await importModule(pathToFileURL(path).href);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message.slice(0, 300) : String(cause);
    throw new CaissonError('failed_precondition', `the module ${path} of a backend cannot be loaded: ${why}`, {
      cause,
      remedy: 'correct the module, or remove it from backends',
    });
  }
}

function entryOf(name: string, module: unknown): BackendEntry {
  if (!isModule(module))
    throw new CaissonError('invalid_argument', `the module of the backend ${name} does not export a backend`, {
      remedy: `it exports \`open\`, \`isolation\` (${isolations.join(', ')}) and, with keys of its own, \`config\``,
    });
  const { isolation, config } = module;
  return { isolation, ...(config === undefined ? {} : { config }), load: () => Promise.resolve(module) };
}

function isModule(module: unknown): module is BackendModule {
  if (typeof module !== 'object' || module === null) return false;
  const open: unknown = Reflect.get(module, 'open');
  const isolation: unknown = Reflect.get(module, 'isolation');
  const config: unknown = Reflect.get(module, 'config');
  const ownKeys = config === undefined || isConfig(config);
  return typeof open === 'function' && typeof isolation === 'string' && isolations.includes(isolation) && ownKeys;
}

function isConfig(config: unknown): boolean {
  if (typeof config !== 'object' || config === null) return false;
  const defaults: unknown = Reflect.get(config, 'defaults');
  return typeof defaults === 'object' && defaults !== null && typeof Reflect.get(config, 'schema') === 'function';
}
