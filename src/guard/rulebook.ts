/** The rules that hold for a task: what operator, task, project and command line say, composed once and kept. */
import { forbidsMore } from '../config/forbidden.ts';
import type { Config } from '../config/types.ts';
import { remembered } from '../lib/remembered.ts';
import type { WebsitePolicy } from '../network/website-policy.ts';
import type { Websites } from '../network/websites.ts';
import type { Composed as Composition } from '../policy/permission/rules.ts';
import type { Settings, SettingsInput } from '../policy/settings.ts';
import type { CheckQuery, Mode, RuleTexts } from '../policy/types.ts';
import { operator, type Said } from '../values/caller.ts';
import { ownerOf, taskKeyOf } from '../values/owner.ts';
import { ephemeralPrefix } from '../values/task.ts';
import { stricterMode } from '../values/tool-modes.ts';
import { type AddedRules, addedRules, mayForbid, sourcesOf } from './added-rules.ts';
import { type Book, buildBook, type Composed, says, saysOfFiles } from './book.ts';
import type { Call } from './call.ts';
import {
  allowlistSource,
  checkRules,
  forbiddenIn,
  isRule,
  modeIn,
  type Overrides,
  overridesIn,
  type Reading,
  sourcesIn,
} from './configured-rules.ts';
import { type ProjectRules, readProjectRules } from './project-rules.ts';
import { given } from '../lib/given.ts';

export interface RulebookInput extends Reading {
  readonly websites: WebsitePolicy;
  /** Directory whose project may have rules. */
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

/** The configuration file, which may change at any time. */
export interface Follower {
  /** One look at the file's state, quick enough for every command. */
  readonly isStale: () => boolean;
  /** Reads it, and has the rulebook tightened by what it forbids. Never throws. */
  readonly take: () => Promise<void>;
}

const leastMode = { standard: 'autonomous', strict: 'supervised' } as const;
const maxBooks = 256;

export class Rulebook {
  #parts: RulebookInput;
  /** Later states of the file that forbid more than was read at last: what they forbid holds until the next reading. */
  #edits: readonly Reading[] = [];
  #follower: Follower | null = null;
  /** Each holds for the saved rules that it was composed of. */
  readonly #books = new Map<string, { readonly book: Book; readonly saved: Saved }>();
  /** What this process has added to `command_allowlist` of config.yaml since that was read. */
  #added: readonly string[] = [];
  readonly #project = remembered(() => readProjectRules(this.#parts.directory));
  #websites: Websites | null = null;

  constructor(parts: RulebookInput) {
    this.#parts = parts;
  }

  /** From now on what is edited in the file is taken up before a command is judged. */
  follow(follower: Follower): void {
    this.#follower = follower;
  }

  /** False when a command surely has nothing to fear here, so that nothing is loaded for it. */
  concerns({ taskId, reach }: Pick<Call, 'taskId' | 'reach'>, said?: Said): boolean {
    if (reach !== 'container' || this.#parts.websites.isOn || mayForbid(said)) return true;
    if (this.#follower?.isStale() === true) return true;
    // Saved rules only allow, so that those of another process change nothing here.
    const known = this.#books.get(keyOf(ownerOf(taskId), this.#overridesFor(taskId)));
    return known === undefined || says(known.book.input, reach);
  }

  /** Throws `invalid_argument` for rules that do not parse. */
  async of(taskId: string, said?: Said): Promise<Book> {
    if (this.#follower?.isStale() === true) await this.#follower.take();
    const project = await this.#project();
    const added = await addedRules(said);
    await this.#lookAtWebsites();
    const owner = ownerOf(taskId);
    const saved = await this.#parts.savedOf(owner);
    const overrides = this.#overridesFor(taskId);
    const key = keyOf(owner, overrides) + (added === null ? '' : ` ${JSON.stringify(added)}`);
    const known = this.#books.get(key);
    if (known?.saved === saved) return known.book;
    const book = buildBook(this.#compose({ owner, overrides, project, saved, added }));
    if (this.#books.size >= maxBooks) this.#books.clear();
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
  async asked({ rules = {}, mode, profile, owner = operator, directory }: Asking): Promise<SettingsInput> {
    const said = given({ directory });
    const { input } = await this.of(taskKeyOf(owner, ephemeralPrefix), said);
    const chosen = mode ?? input.mode ?? 'autonomous';
    return {
      ...input,
      sources: [...(input.sources ?? []), { name: 'question', rules, mayOnlyTighten: false }],
      profile: profile ?? input.profile ?? 'standard',
      mode: profile === 'strict' ? stricterMode(chosen, leastMode.strict) : chosen,
    };
  }

  /** Rules that an approval of the operator has just added to config.yaml hold at once. */
  add(rules: readonly string[]): void {
    this.#added = [...this.#added, ...rules];
    this.#books.clear();
  }

  /** Entries and edits that hold beside the configuration that was read. */
  get since(): { readonly added: readonly string[]; readonly edits: readonly Reading[] } {
    return { added: this.#added, edits: this.#edits };
  }

  /** The rules of another configuration. Throws as `of`, and nothing has changed then. */
  async reload(next: Reading): Promise<void> {
    await checkRules(next);
    this.#parts.websites.take([blocklistOf(next)]);
    this.#parts = { ...this.#parts, ...next };
    this.#edits = [];
    this.#added = [];
    this.#books.clear();
  }

  /**
   * Rules that ask or deny in an edited file, and hosts that it blocks, hold from now on, beside all that holds already. False: it
   * forbids nothing new. Throws as `reload`.
   */
  async tighten(edited: Reading): Promise<boolean> {
    await checkRules(edited);
    const held = [this.#parts, ...this.#edits].map(({ config }) => config);
    if (!forbidsMore(edited.config, held)) return false;
    const edits = [...this.#edits.filter(({ config }) => forbidsMore(config, [edited.config])), edited];
    this.#parts.websites.take([this.#parts, ...edits].map(blocklistOf));
    this.#edits = edits;
    this.#books.clear();
    return true;
  }

  async #lookAtWebsites(): Promise<void> {
    const { websites } = this.#parts;
    const current = websites.isOn ? await websites.current() : null;
    if (current === this.#websites) return;
    this.#websites = current;
    this.#books.clear();
  }

  /** Overrides in the configuration that was read, and in each edit. */
  #overridesFor(taskId: string): readonly Overrides[] {
    return [this.#parts, ...this.#edits].map((reading) => overridesIn(reading, taskId));
  }

  #compose({ owner, overrides: [overrides = [], ...edited], project, saved, added }: Composing): Composed {
    const { config, commandLine } = this.#parts;
    const { policy } = config;
    // What the operator answered "always" to is nothing that another owner was allowed.
    const listed = owner === operator ? [...config.command_allowlist, ...this.#added] : [];
    const entries = [...listed, ...saved.map(({ rule }) => rule)];
    const configured = this.#edits.reduce(
      (mode, edit, at) => stricterMode(mode, modeIn(edit, edited[at] ?? [])),
      modeIn(this.#parts, overrides),
    );
    return {
      base: config.command_allowlist,
      input: {
        sources: [
          ...sourcesIn(this.#parts, owner, overrides),
          allowlistSource(entries),
          ...this.#edits.flatMap((edit, at) => forbiddenIn(edit, owner, edited[at] ?? [])),
          ...sourcesOf({ ...this.#parts, project }, added),
        ],
        mode: [project.mode, added?.project?.rules.mode, leastMode[policy.profile]].reduce<Mode>(
          (mode, each) => stricterMode(mode, each ?? 'autonomous'),
          chosenMode(commandLine, configured),
        ),
        profile: policy.profile,
        containerHardline: policy.container_hardline,
        commandAllowlist: entries.filter((entry) => !isRule(entry)),
        websites: this.#websites,
      },
    };
  }
}

type Asking = Pick<CheckQuery, 'rules' | 'mode' | 'profile' | 'owner' | 'directory'>;

interface Composing {
  readonly owner: string;
  /** The first: of the configuration that was read; then those of the edits. */
  readonly overrides: readonly Overrides[];
  readonly project: ProjectRules;
  readonly saved: Saved;
  readonly added: AddedRules | null;
}

function chosenMode({ mode, mayOnlyTighten }: RulebookInput['commandLine'], configured: Mode): Mode {
  const said = mode ?? configured;
  return mayOnlyTighten ? stricterMode(said, configured) : said;
}

const blocklistOf = ({ config }: Reading): Config['security']['website_blocklist'] => config.security.website_blocklist;

const keyOf = (owner: string, overrides: readonly Overrides[]): string =>
  overrides.every((each) => each.length === 0) ? owner : `${owner} ${JSON.stringify(overrides)}`;
