/** The rules that hold for a task: what operator, task, project and command line say, composed once and kept. */
import { createHash } from 'node:crypto';
import { allowedTo } from '../config/owners.ts';
import { overridesOf } from '../config/overrides.ts';
import type { Config, Loaded } from '../config/types.ts';
import type { WebsitePolicy } from '../network/website-policy.ts';
import type { Websites } from '../network/websites.ts';
import type { Policy } from '../policy/policy.ts';
import type { Composed as Composition, Source } from '../policy/permission/rules.ts';
import type { Settings, SettingsInput } from '../policy/settings.ts';
import type { CheckQuery, Mode, Reach, RuleTexts } from '../policy/types.ts';
import { operator, type Said } from '../values/caller.ts';
import { ownerOf, taskKeyOf } from '../values/owner.ts';
import { ephemeralPrefix } from '../values/task.ts';
import type { Call } from './call.ts';
import { type AddedRules, addedRules, mayForbid, sourcesOf } from './added-rules.ts';
import { type ProjectRules, readProjectRules } from './project-rules.ts';

export interface RulebookParts {
  readonly config: Config;
  /** Where its keys are said. */
  readonly origins: Loaded['origins'];
  readonly websites: WebsitePolicy;
  /** Where a project may keep rules of its own. */
  readonly directory: string;
  /** What the command line adds: an operator's word. */
  readonly commandLine: {
    readonly rules?: RuleTexts;
    readonly mode?: Mode;
    /** It may come from a command that is itself under rules. */
    readonly mayOnlyTighten: boolean;
  };
  /** Whether this process runs in a command of Caisson: then no call may loosen either. */
  readonly isInside: () => boolean;
  /** Rules in the store, which every process may add to: the same list as before while they are the same. */
  readonly savedOf: (owner: string) => Promise<Saved>;
}

type Saved = readonly { readonly rule: string }[];

export interface Book {
  readonly input: SettingsInput;
  /** Changes with every rule and setting: approvals are bound to it. */
  readonly version: string;
  readonly policy: () => Promise<Policy>;
}

type Overrides = readonly (readonly [name: string, override: Config['tasks'][string]])[];

const modes: readonly Mode[] = ['autonomous', 'cautious', 'supervised', 'plan'];
const leastMode = { standard: 'autonomous', strict: 'supervised' } as const;
const mostBooks = 256;

export class Rulebook {
  #parts: RulebookParts;
  /** Each holds for the saved rules that it was composed of. */
  readonly #books = new Map<string, { readonly book: Book; readonly saved: Saved }>();
  /** What this process has added to `command_allowlist` of config.yaml since that was read. */
  #added: readonly string[] = [];
  #project: Promise<ProjectRules> | null = null;
  #websites: Websites | null = null;

  constructor(parts: RulebookParts) {
    this.#parts = parts;
  }

  /** False when a command surely has nothing to fear here, so that nothing is loaded for it. */
  concerns({ taskId, reach }: Pick<Call, 'taskId' | 'reach'>, said?: Said): boolean {
    if (reach !== 'container' || this.#parts.websites.isOn || mayForbid(said)) return true;
    // Saved rules only allow, so that those of another process change nothing here.
    const known = this.#books.get(keyOf(ownerOf(taskId), this.#overridesFor(taskId)));
    return known === undefined || says(known.book.input, reach);
  }

  /** Throws `invalid_argument` for rules that do not parse. */
  async of(taskId: string, said?: Said): Promise<Book> {
    this.#project ??= readProjectRules(this.#parts.directory);
    const project = await this.#project;
    const added = await addedRules(said);
    await this.#lookAtWebsites();
    const owner = ownerOf(taskId);
    const saved = await this.#parts.savedOf(owner);
    const overrides = this.#overridesFor(taskId);
    const key = keyOf(owner, overrides) + (added === null ? '' : ` ${JSON.stringify(added)}`);
    const known = this.#books.get(key);
    if (known?.saved === saved) return known.book;
    const book = bookOf(this.#compose({ owner, overrides, project, saved, added }));
    if (this.#books.size >= mostBooks) this.#books.clear();
    this.#books.set(key, { book, saved });
    return book;
  }

  /** What holds for tools that take a path; `null`: everything is allowed, so that no path has to be looked at. */
  async fileSettings(taskId: string, said?: Said): Promise<Settings | null> {
    const book = await this.of(taskId, said);
    return saysOfFiles(book.input) ? (await book.policy()).settings : null;
  }

  /** Rules that are written somewhere and have no effect, for people. */
  async ignored(): Promise<Composition['ignored']> {
    const { input } = await this.of(ephemeralPrefix);
    const { settingsOf } = await import('../policy/settings.ts');
    return settingsOf(input).ignored;
  }

  /** What would hold for a task without a name, if this were said too. */
  async asked({ rules = {}, mode, profile, owner = operator }: Asking): Promise<SettingsInput> {
    const { input } = await this.of(taskKeyOf(owner, ephemeralPrefix));
    const chosen = mode ?? input.mode ?? 'autonomous';
    return {
      ...input,
      sources: [...(input.sources ?? []), { name: 'question', rules, mayOnlyTighten: false }],
      profile: profile ?? input.profile ?? 'standard',
      mode: profile === 'strict' ? strictest(chosen, leastMode.strict) : chosen,
    };
  }

  /** Rules that an approval of the operator has just added to config.yaml hold at once. */
  add(rules: readonly string[]): void {
    this.#added = [...this.#added, ...rules];
    this.#books.clear();
  }

  /** The rules of another configuration. Throws as `of`, and nothing has changed then. */
  async reload(next: Pick<RulebookParts, 'config' | 'origins'>): Promise<void> {
    const parts = { ...this.#parts, ...next };
    const fresh = new Rulebook(parts);
    const { settingsOf } = await import('../policy/settings.ts');
    const owners = [operator, ...Object.keys(next.config.owners)];
    const keys = [...owners.map((owner) => taskKeyOf(owner, ephemeralPrefix)), ...Object.keys(next.config.tasks)];
    for (const key of keys) settingsOf((await fresh.of(key)).input);
    this.#parts = parts;
    this.#added = [];
    this.#books.clear();
  }

  async #lookAtWebsites(): Promise<void> {
    const { websites } = this.#parts;
    const current = websites.isOn ? await websites.current() : null;
    if (current === this.#websites) return;
    this.#websites = current;
    this.#books.clear();
  }

  #overridesFor(taskId: string): Overrides {
    return overridesOf(taskId, this.#parts.config.tasks).filter(([, { rules, tool_mode }]) => rules ?? tool_mode);
  }

  /** `FILE:LINE: approvals.rules.deny[0]` */
  #placedIn(origin: string, key = origin): NonNullable<Source['placeOf']> {
    const said = this.#parts.origins[origin]?.replace(/^file /, '') ?? 'the configuration';
    return (list, index) => `${said}: ${key}.${list}[${index}]`;
  }

  #compose({ owner, overrides, project, saved, added }: Composing): Composed {
    const { config, commandLine } = this.#parts;
    const { approvals, policy } = config;
    // What the operator answered "always" to is nothing that another owner was allowed.
    const listed = owner === operator ? [...config.command_allowlist, ...this.#added] : [];
    const entries = [...listed, ...saved.map(({ rule }) => rule)];
    const configured = overrides.findLast(([, { tool_mode }]) => tool_mode)?.[1].tool_mode ?? approvals.tool_mode;
    const said = commandLine.mode ?? configured;
    const chosen = commandLine.mayOnlyTighten ? strictest(said, configured) : said;
    return {
      base: config.command_allowlist,
      input: {
        sources: [
          {
            name: 'operator',
            rules: plain(approvals.rules),
            placeOf: this.#placedIn('approvals.rules'),
            mayOnlyTighten: false,
          },
          {
            name: 'command_allowlist',
            rules: { allow: entries.filter(isRule) },
            placeOf: (_list, index) => `command_allowlist[${entries.indexOf(entries.filter(isRule)[index] ?? '')}]`,
            mayOnlyTighten: false,
          },
          // Beside the operator's: of all rules that match, the strictest wins.
          {
            name: `owner ${owner}`,
            rules: plain(allowedTo(owner, config).rules ?? {}),
            placeOf: this.#placedIn('owners', `owners.${owner}.rules`),
            mayOnlyTighten: false,
          },
          ...overrides.map(([name, { rules }]) => ({
            name: `task ${name}`,
            rules: plain(rules ?? {}),
            placeOf: this.#placedIn('tasks', `tasks.${name}.rules`),
            mayOnlyTighten: false,
          })),
          ...sourcesOf({ ...this.#parts, project }, added),
        ],
        mode: [project.mode, added?.project?.rules.mode, leastMode[policy.profile]].reduce<Mode>(
          (mode, each) => strictest(mode, each ?? 'autonomous'),
          chosen,
        ),
        profile: policy.profile,
        containerHardline: policy.container_hardline,
        commandAllowlist: entries.filter((entry) => !isRule(entry)),
        websites: this.#websites,
      },
    };
  }
}

type Asking = Pick<CheckQuery, 'rules' | 'mode' | 'profile' | 'owner'>;

interface Composing {
  readonly owner: string;
  readonly overrides: Overrides;
  readonly project: ProjectRules;
  readonly saved: Saved;
  readonly added: AddedRules | null;
}

interface Composed {
  readonly base: readonly string[];
  readonly input: SettingsInput;
}

function bookOf({ base, input }: Composed): Book {
  let opened: Promise<Policy> | null = null;
  const sources = input.sources?.filter(({ name }) => name !== 'command_allowlist');
  return {
    input,
    // What an approval saves meanwhile does not make the others void.
    version: createHash('sha256')
      .update(JSON.stringify([base, { ...input, sources, commandAllowlist: [] }]))
      .digest('hex'),
    policy: () => (opened ??= import('../policy/policy.ts').then(({ openPolicy }) => openPolicy(input))),
  };
}

/** Whether such settings have anything to say about a command with this reach. */
export function says(input: SettingsInput, reach: Reach): boolean {
  const { rules, sources = [], mode, profile, containerHardline, websites = null } = input;
  if (websites !== null) return true;
  if (reach !== 'container' || mode !== 'autonomous' || profile !== 'standard' || containerHardline === true)
    return true;
  // What allows changes nothing where nothing forbids.
  return [rules ?? {}, ...sources.map((source) => source.rules)].some(
    ({ ask = [], deny = [] }) => ask.length + deny.length > 0,
  );
}

const aboutCommands = /^\s*(?:terminal|terminal_exec|process|execute_code|python_rpc)\b/;

/** The same about file tools, wherever they work. */
export function saysOfFiles({ rules, sources = [], mode, profile }: SettingsInput): boolean {
  if (mode !== 'autonomous' || profile !== 'standard') return true;
  return [rules ?? {}, ...sources.map((source) => source.rules)].some(({ ask = [], deny = [] }) =>
    [...ask, ...deny].some((rule) => !aboutCommands.test(rule)),
  );
}

/** As permission rules are written, in the list of what is not asked about. */
export const isRule = (entry: string): boolean => /^[A-Za-z][\w.-]*\([^]+\)$/.test(entry.trim());

const strictest = (one: Mode, other: Mode): Mode => (modes.indexOf(one) < modes.indexOf(other) ? other : one);

const keyOf = (owner: string, overrides: Overrides): string =>
  overrides.length === 0 ? owner : `${owner} ${JSON.stringify(overrides)}`;

function plain({ allow, ask, deny }: Config['approvals']['rules']): RuleTexts {
  return { allow: allow ?? [], ask: ask ?? [], deny: deny ?? [] };
}
