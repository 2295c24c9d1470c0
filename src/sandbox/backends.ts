/** The backends of this process by name, each opened when it is first used. Core knows no other names. */
import type { Backend, BackendEntry, Guarantees, OpenOptions } from '../backend.ts';
import { CaissonError } from '../errors.ts';

export class Backends {
  readonly #entries: Readonly<Record<string, BackendEntry>>;
  readonly #optionsOf: (name: string) => OpenOptions;
  readonly #opened = new Map<string, Promise<Backend>>();

  constructor(entries: Readonly<Record<string, BackendEntry>>, optionsOf: (name: string) => OpenOptions) {
    this.#entries = entries;
    this.#optionsOf = optionsOf;
  }

  get names(): readonly string[] {
    return Object.keys(this.#entries);
  }

  /** Throws `invalid_argument` for a name that is not known. */
  isolationOf(name: string): Guarantees['isolation'] {
    return this.#entry(name).isolation;
  }

  /** Throws `invalid_argument` for a name that is not known. */
  async open(name: string): Promise<Backend> {
    const known = this.#opened.get(name);
    if (known !== undefined) return await known;
    const opening = this.#entry(name)
      .load()
      .then((module) => module.open(this.#optionsOf(name)));
    this.#opened.set(name, opening);
    return await opening;
  }

  /** Ends those that were opened. One that fails has nothing to keep. */
  closing(): readonly { readonly name: string; readonly ended: Promise<void> }[] {
    return [...this.#opened].map(([name, opened]) => ({
      name,
      ended: opened.then((backend) => backend.close()).catch(() => undefined),
    }));
  }

  #entry(name: string): BackendEntry {
    const entry = Object.hasOwn(this.#entries, name) ? this.#entries[name] : undefined;
    if (entry !== undefined) return entry;
    throw new CaissonError('invalid_argument', `there is no backend ${JSON.stringify(name)}`, {
      remedy: `choose one of ${this.names.join(', ')}`,
    });
  }
}
