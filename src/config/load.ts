/**
 * Loads the configuration: flag > environment > task override > file > default, and where each value came from.
 *
 * The schema and the YAML parser cost more than the rest of a short command, so they are loaded when there is a file, a
 * switch or a flag to check.
 */
import { join } from 'node:path';
import { CaissonError } from '../errors.ts';
import { type BackendKeys, variablesOf } from './backends.ts';
import { collectDefaults, unsectioned } from './defaults.ts';
import { type Assigned, parseDotenv } from './dotenv.ts';
import { findHome } from '../lib/find-home.ts';
import { type Environment, checkHome, prepareHome, readOwnFile } from './home.ts';
import { keep, type Keeping, keyOf, readKept } from './kept.ts';
import { type Laid, lay, type Setting, settingsOf } from './layer.ts';
import { limitBytes } from './limits.ts';
import { sourceOf } from './source.ts';
import { overridesOf } from './overrides.ts';
import { findSwitches, type Switch } from './switches.ts';
import { configFile, readConfigText } from './text.ts';
import type { Flags, Loaded, Settings, TaskTerminal } from './types.ts';

export interface LoadOptions {
  /** The state directory; from the environment when absent. */
  readonly home?: string;
  readonly env: Environment;
  /** What a relative `CAISSON_HOME` starts from. */
  readonly cwd: string;
  readonly flags?: Flags;
  readonly backends: BackendKeys;
  /** Only to be looked at: an absent state directory is not made. */
  readonly looksOnly?: boolean;
  /** Absent: the file is checked anew each time. */
  readonly keeping?: Keeping | undefined;
  /** Text of the file; `null`: the home has no file. Absent: the file is read. */
  readonly text?: string | null;
  /** Without what `.env` says. */
  readonly alone?: boolean;
}

/**
 * Throws `invalid_argument` that names file, line, column and key of all that is wrong, and `failed_precondition` when
 * other users could write the state directory or the file, or read `.env`.
 */
export async function loadConfig(options: LoadOptions): Promise<Loaded> {
  const home = options.home ?? findHome(options.env, options.cwd);
  await (options.looksOnly === true ? checkHome(home) : prepareHome(home));
  const dotenv = options.alone === true ? new Map<string, Assigned>() : await readDotenv(join(home, '.env'));
  const env = {
    ...Object.fromEntries([...dotenv].map(([name, { value }]) => [name, value])),
    ...definedOf(options.env),
  };
  const text = options.text === undefined ? await readConfigText(home) : options.text;
  const defaults = collectDefaults(options.backends);
  const sources: Sources = {
    home,
    env,
    dotenv,
    given: options.env,
    text,
    switches: findSwitches(env, defaults),
    flags: options.flags ?? {},
    defaults,
    backends: options.backends,
  };
  const isPlain = text === null && sources.switches.length === 0 && Object.keys(sources.flags).length === 0;
  const loaded = isPlain ? plain(sources) : await read(sources, options.keeping);
  return { ...loaded, env: { ...variablesOf({ ...loaded.config.terminal }, options.backends), ...env } };
}

const read = async (sources: Sources, keeping: Keeping | undefined): Promise<Loaded> =>
  keeping === undefined ? await checked(sources) : await checkedOnce(sources, keeping);

interface Sources {
  readonly home: string;
  readonly env: Environment;
  readonly dotenv: ReadonlyMap<string, Assigned>;
  readonly given: Environment;
  readonly text: string | null;
  readonly switches: readonly Switch[];
  readonly flags: Flags;
  readonly defaults: Settings;
  readonly backends: BackendKeys;
}

const baseOf = (defaults: Settings): readonly Setting[] => settingsOf({ ...defaults }, () => 'default');

function plain({ home, env, defaults }: Sources): Loaded {
  const forTask = (): TaskTerminal => ({ terminal: defaults.terminal, originOf: () => 'default' });
  return {
    home,
    env,
    config: { ...defaults, ...unsectioned },
    notices: [],
    source: sourceOf(null),
    origins: lay(baseOf(defaults)).origins,
    forTask,
  };
}

/** From what was kept of the same texts. Errors, and overrides by task, are not kept. */
async function checkedOnce(sources: Sources, keeping: Keeping): Promise<Loaded> {
  const { home, env, text, switches, flags, defaults } = sources;
  const named = switches.map((each) => [each, originOf(each.variable, sources)]);
  const key = keyOf(keeping, [home, text, named, flags, defaults]);
  const kept = readKept(keeping, key);
  if (kept !== null) return { ...kept, home, env, source: sourceOf(text), forTask: () => everyTask(kept) };
  const loaded = await checked(sources);
  const { config, origins, notices } = loaded;
  if (Object.keys(config.tasks).length === 0) keep(keeping, key, { config, origins, notices });
  return loaded;
}

function everyTask({ config, origins }: Pick<Loaded, 'config' | 'origins'>): TaskTerminal {
  return { terminal: config.terminal, originOf: (key) => origins[`terminal.${key}`] ?? 'default' };
}

async function checked(sources: Sources): Promise<Loaded> {
  const [{ checkFile, checkFlags, checkSwitches, settle }, { buildSchema: schemaOf }] = await Promise.all([
    import('./check.ts'),
    import('./schema.ts'),
  ]);
  const { home, env } = sources;
  const schema = await schemaOf(sources.backends);
  const base = baseOf(sources.defaults);
  const settled = (layers: Laid): Settings => settle(schema, layers);
  const file = checkFile(schema, sources.text ?? '', configFile(home));
  const above = [
    ...checkSwitches(schema, sources.switches, (variable) => originOf(variable, sources)),
    ...checkFlags(schema, sources.flags),
  ];
  const laid = lay(base, file.settings, above);
  const forTask = (taskId: string): TaskTerminal =>
    taskTerminal(
      lay(base, file.settings, ...overridesOf(taskId, file.tasks).map(([, settings]) => settings), above),
      settled,
    );
  return {
    home,
    env,
    config: { ...settled(laid), ...file.unsectioned },
    notices: file.notices,
    source: sourceOf(sources.text),
    origins: { ...laid.origins, ...file.origins },
    forTask,
  };
}

function taskTerminal(laid: Laid, settle: (laid: Laid) => Settings): TaskTerminal {
  return { terminal: settle(laid).terminal, originOf: (key) => laid.origins[`terminal.${key}`] ?? 'default' };
}

async function readDotenv(file: string): Promise<ReadonlyMap<string, Assigned>> {
  const text = await readOwnFile(file, { forbidden: 0o077, limitBytes });
  const dotenv = text === null ? new Map<string, Assigned>() : parseDotenv(text, file);
  const misplaced = dotenv.get('CAISSON_HOME') ?? dotenv.get('HERMES_HOME');
  if (misplaced === undefined) return dotenv;
  throw new CaissonError(
    'invalid_argument',
    `${file}:${misplaced.line}: the state directory cannot be chosen by a file inside it`,
    {
      remedy: 'set CAISSON_HOME in the environment',
    },
  );
}

function definedOf(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
}

function originOf(variable: string, { given, dotenv, home }: Sources): string {
  const line = given[variable] === undefined ? dotenv.get(variable)?.line : undefined;
  return line === undefined ? `env ${variable}` : `env ${variable} at ${join(home, '.env')}:${line}`;
}
