/** The definitions that drive parsing and help: what a command takes, said once. */

export interface Option {
  /** `text` takes one value, `list` one each time it is given, `flag` none. */
  readonly type: 'text' | 'list' | 'flag';
  readonly short?: string;
  /** What stands for the value in help. */
  readonly value?: string;
  readonly about: string;
}

export type Options = Readonly<Record<string, Option>>;

type NamesOf<O extends Options, Type extends Option['type']> = {
  [Name in keyof O]: O[Name]['type'] extends Type ? Name : never;
}[keyof O] &
  string;

/** What was given; the names are those that may be asked for. */
export interface GivenOptions<
  in Text extends string = string,
  in List extends string = string,
  in Flag extends string = string,
> {
  readonly text: (name: Text) => string | undefined;
  readonly list: (name: List) => readonly string[];
  readonly flag: (name: Flag) => boolean;
  readonly operands: readonly string[];
  /** What stood after `--`. */
  readonly command: readonly string[];
}

export type GivenOf<O extends Options> = GivenOptions<NamesOf<O, 'text'>, NamesOf<O, 'list'>, NamesOf<O, 'flag'>>;

export const everywhere = {
  help: { type: 'flag', short: 'h', about: 'show this help' },
  home: { type: 'text', value: 'DIR', about: 'state and configuration (default: CAISSON_HOME or ~/.caisson)' },
  embedded: { type: 'flag', about: 'without the service that runs (also by CAISSON_EMBEDDED=1)' },
  output: { type: 'text', short: 'o', value: 'FORMAT', about: 'table or json' },
  json: { type: 'flag', about: 'the same as -o json' },
  quiet: { type: 'flag', short: 'q', about: 'no progress, no notices; names only in lists' },
  'no-color': { type: 'flag', about: 'no colours (also by NO_COLOR)' },
} as const satisfies Options;

/** What may be said of a sandbox when it is made, and later. */
export const lifeOptions = {
  label: { type: 'list', value: 'KEY=VALUE', about: 'a label, by which lists are filtered' },
  idle: { type: 'text', value: 'TIME', about: 'stop it after so long without use, such as 10m; 0 or none: never' },
  lifetime: { type: 'text', value: 'TIME', about: 'remove it so long after its creation; 0 or none: never' },
} as const satisfies Options;

/** What a sandbox shall be. */
export const sandboxOptions = {
  task: { type: 'text', value: 'TASK', about: 'the task whose sandbox to use' },
  backend: { type: 'text', value: 'NAME', about: 'where; caisson backends lists what there is' },
  image: { type: 'text', value: 'IMAGE', about: 'image, as the backend names it' },
  cpu: { type: 'text', value: 'CORES', about: 'cores, such as 2 or 0.5' },
  memory: { type: 'text', value: 'SIZE', about: 'memory and swap together, such as 512m or 2g' },
  disk: { type: 'text', value: 'SIZE', about: 'what it may write, such as 10g' },
  network: { type: 'text', value: 'MODE', about: 'open, observe, filtered or none' },
  ...lifeOptions,
  'allow-degraded': { type: 'flag', about: 'start although a wanted control cannot be given' },
  recreate: { type: 'flag', about: 'replace a sandbox that was made differently' },
  cwd: { type: 'text', short: 'w', value: 'DIR', about: 'directory inside in which to start' },
} as const satisfies Options;

/** How a command shall run. */
export const commandOptions = {
  env: { type: 'list', short: 'e', value: 'NAME[=VALUE]', about: 'a variable; NAME alone takes its value from here' },
  'env-file': { type: 'list', value: 'FILE', about: 'variables, one NAME=VALUE a line' },
  'raw-output': {
    type: 'flag',
    about: 'show output with its secrets; records are without them',
  },
  skill: { type: 'list', value: 'PATH', about: 'a SKILL.md, or its directory, whose variables to pass on' },
  'exec-id': {
    type: 'text',
    value: 'ID',
    about: 'idempotency key, exec_NAME: repeating it replays the first result',
  },
  timeout: { type: 'text', value: 'TIME', about: 'kill it after 30s, 5m, 1h; 0 or none: never' },
  interactive: { type: 'flag', short: 'i', about: 'pass standard input on' },
  tty: { type: 'flag', short: 't', about: 'give it a terminal; -it also passes the keys on' },
  yolo: { type: 'flag', about: 'do not ask about dangerous commands' },
  allow: { type: 'list', value: 'RULE', about: 'a further rule that allows, such as terminal(git:*)' },
  ask: { type: 'list', value: 'RULE', about: 'a further rule that asks, whatever the mode' },
  deny: { type: 'list', value: 'RULE', about: 'a further rule that denies, whatever the mode' },
} as const satisfies Options;

/** The user of a command whose end is waited for. */
export const userOption = {
  type: 'text',
  short: 'u',
  value: 'USER',
  about: 'user inside that runs it, by name or number, as app or 1000:1000 (docker)',
} as const satisfies Option;
