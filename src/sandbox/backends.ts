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

  /** Of those that this build has. */
  get names(): readonly string[] {
    return Object.keys(this.#entries).filter((name) => this.#entries[name]?.load !== null);
  }

  /** Throws `invalid_argument` for a name that is not known. */
  isolationOf(name: string): Guarantees['isolation'] {
    return this.#entry(name, Object.keys(this.#entries)).isolation;
  }

  /** Throws `invalid_argument` for a backend that this build does not have. */
  async open(name: string): Promise<Backend> {
    const known = this.#opened.get(name);
    if (known !== undefined) return await known;
    const { load } = this.#entry(name, this.names);
    if (load === null) throw unknown(`this build has no ${name} backend`, this.names);
    const opening = load().then((module) => module.open(this.#optionsOf(name)));
    this.#opened.set(name, opening);
    return await opening;
  }

  async close(): Promise<void> {
    await Promise.allSettled([...this.#opened.values()].map(async (backend) => (await backend).close()));
  }

  #entry(name: string, choices: readonly string[]): BackendEntry {
    const entry = Object.hasOwn(this.#entries, name) ? this.#entries[name] : undefined;
    if (entry === undefined) throw unknown(`there is no backend ${JSON.stringify(name)}`, choices);
    return entry;
  }
}

function unknown(message: string, choices: readonly string[]): CaissonError {
  return new CaissonError('invalid_argument', message, { remedy: `choose one of ${choices.join(', ')}` });
}
