/** `security.website_blocklist`: the rules of the configuration, and of files that several services share. */
import { existsSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readOwnFile } from '../config/home.ts';
import type { Config } from '../config/types.ts';
import { CaissonError } from '../errors.ts';
import { websiteRule } from '../values/website-rule.ts';
import { type SourcedRule, type Websites, indexWebsites } from './websites.ts';

type Blocklist = Config['security']['website_blocklist'];

export interface WebsitePolicyInput {
  readonly blocklist: Blocklist;
  /** Directory at which relative paths of files start. */
  readonly home: string;
  /** What `~` stands for. */
  readonly userHome: string;
}

/** Lists of a hundred thousand names are usual. */
const limitBytes = 8 * 1024 * 1024;

interface CachedRules {
  readonly stamp: string;
  readonly rules: readonly SourcedRule[];
}

export class WebsitePolicy {
  readonly #parts: Omit<WebsitePolicyInput, 'blocklist'>;
  #own: readonly SourcedRule[] = [];
  #files: readonly string[] = [];
  readonly #kept = new Map<string, CachedRules>();
  #websites: Websites | null = null;

  constructor({ blocklist, ...parts }: WebsitePolicyInput) {
    this.#parts = parts;
    this.take([blocklist]);
  }

  /** From now on all of these hold together, instead of those of before. Throws for a domain that names no host, and changes nothing then. */
  take(blocklists: readonly Blocklist[]): void {
    const enabled = blocklists.filter(({ enabled: isEnabled = true }) => isEnabled);
    const domains = new Set(enabled.flatMap(({ domains: listed = [] }) => listed));
    this.#own = [...domains].flatMap((text) => ruleFrom(text, 'security.website_blocklist.domains'));
    this.#files = [
      ...new Set(enabled.flatMap(({ shared_files: files = [] }) => files.map((file) => this.#pathOf(file)))),
    ];
    this.#websites = null;
  }

  #pathOf(file: string): string {
    const { home, userHome } = this.#parts;
    return resolve(
      home,
      file.replace(/^~(?=\/)/, () => userHome),
    );
  }

  /** Whether it blocks anything, or could as soon as a file changes. */
  get isOn(): boolean {
    return this.#own.length + this.#files.length > 0;
  }

  /** A shared list that does not exist blocks nothing, which is reported. */
  get notices(): readonly string[] {
    return this.#files
      .filter((file) => !existsSync(file))
      .map((file) => `${file} of security.website_blocklist is not there: what it lists is not blocked`);
  }

  /**
   * What holds now; files are looked at by one stat(2) each. The same object as long as nothing has changed. Throws
   * `failed_precondition` or `invalid_argument` for a file that cannot be read or understood: it might have blocked this.
   */
  async current(): Promise<Websites> {
    const files = this.#files;
    const changed = files.filter((file) => this.#hasChanged(file));
    for (const file of changed) this.#kept.set(file, await readRules(file));
    // Others were taken up meanwhile, and are not read yet.
    if (files !== this.#files) return await this.current();
    if (this.#websites === null || changed.length > 0)
      this.#websites = indexWebsites([...this.#own, ...files.flatMap((file) => this.#kept.get(file)?.rules ?? [])]);
    return this.#websites;
  }

  /** A file that goes missing still blocks what it blocked. */
  #hasChanged(file: string): boolean {
    const found = statSync(file, { throwIfNoEntry: false });
    return found !== undefined && this.#kept.get(file)?.stamp !== stampOf(found);
  }
}

async function readRules(file: string): Promise<CachedRules> {
  const before = statSync(file, { throwIfNoEntry: false });
  const text = (await readOwnFile(file, { forbidden: 0o022, limitBytes })) ?? '';
  const rules = text.split('\n').flatMap((line, at) => ruleFrom(line.replace(/#[^]*$/, ''), `${file}:${at + 1}`));
  // Stamped as it was before it was read: what is written meanwhile is read the next time.
  return { stamp: before === undefined ? '' : stampOf(before), rules };
}

function ruleFrom(text: string, source: string): readonly SourcedRule[] {
  if (text.trim() === '') return [];
  const rule = websiteRule(text);
  if (rule !== null) return [{ ...rule, source }];
  throw new CaissonError('invalid_argument', `${source}: ${JSON.stringify(text.trim().slice(0, 100))} names no host`, {
    remedy: 'write one host a line, such as admin.example.com or *.internal.example.com; # begins a comment',
  });
}

const stampOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string => `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
