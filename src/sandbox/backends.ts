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

  async close(): Promise<void> {
    await Promise.allSettled([...this.#opened.values()].map(async (backend) => (await backend).close()));
  }

  #entry(name: string): BackendEntry {
    const entry = Object.hasOwn(this.#entries, name) ? this.#entries[name] : undefined;
    if (entry !== undefined) return entry;
    throw new CaissonError('invalid_argument', `there is no backend ${JSON.stringify(name)}`, {
      remedy: `choose one of ${this.names.join(', ')}`,
    });
  }
}
