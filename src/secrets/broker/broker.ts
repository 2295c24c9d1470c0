/** Secrets that are asked for at the time of use: from a vault by its program, from a file, from another variable. */
import { hash } from 'node:crypto';
import { type CredentialContent, type CredentialSource, fileStamp } from '../credentials/source.ts';
import { pathOf, resolve, type ResolveContext } from './resolve.ts';
import type { SecretSource } from './types.ts';

interface CachedSecret {
  readonly value: string | null;
  readonly until: number;
}

export class Broker {
  readonly #sources: ReadonlyMap<string, SecretSource>;
  readonly #where: ResolveContext;
  readonly #held = new Map<string, CachedSecret>();
  readonly #asking = new Map<string, Promise<string | null>>();

  constructor(sources: Readonly<Record<string, SecretSource>>, where: ResolveContext) {
    this.#sources = new Map(Object.entries(sources));
    this.#where = where;
  }

  has(name: string): boolean {
    return this.#sources.has(name);
  }

  /** Values of those variables that have a source; one without a value is absent. A line end after a value is not part of it. */
  async variables(names: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const sourced = [...new Set(names)].filter((name) => this.has(name));
    const values = await Promise.all(sourced.map((name) => this.#value(name)));
    const pairs = sourced.map((name, at) => [name, values[at]?.replace(/\r?\n$/, '') ?? null] as const);
    return Object.fromEntries(pairs.filter((pair): pair is readonly [string, string] => pair[1] !== null));
  }

  /** Credential files that have a source come from it, all others from `rest`. */
  credentials(rest: CredentialSource): CredentialSource {
    return {
      stampOf: (path) => (this.has(path) ? this.#stamp(path) : rest.stampOf(path)),
      read: async (path) => (this.has(path) ? await this.#content(path) : await rest.read(path)),
    };
  }

  async #content(path: string): Promise<CredentialContent | null> {
    const value = await this.#value(path);
    if (value === null) return null;
    const source = this.#sources.get(path);
    const file = source !== undefined && 'file' in source ? fileStamp(pathOf(source.file, this.#where.env)) : null;
    return { bytes: Buffer.from(value), stamp: file ?? stampOf(value) };
  }

  /** What differs from every other stamp has somebody ask the source again. */
  #stamp(path: string): string | null {
    const source = this.#sources.get(path);
    if (source !== undefined && 'file' in source) return fileStamp(pathOf(source.file, this.#where.env));
    if (source !== undefined && 'env' in source) return ofValue(this.#where.env[source.env] ?? null);
    const held = this.#held.get(path);
    if (held === undefined || held.until < performance.now()) return 'expired';
    return ofValue(held.value);
  }

  async #value(name: string): Promise<string | null> {
    const held = this.#held.get(name);
    if (held !== undefined && held.until >= performance.now()) return held.value;
    const asking = this.#asking.get(name) ?? this.#ask(name).finally(() => this.#asking.delete(name));
    this.#asking.set(name, asking);
    return await asking;
  }

  async #ask(name: string): Promise<string | null> {
    const source = this.#sources.get(name);
    if (source === undefined) return null;
    const value = await resolve(name, source, this.#where);
    const seconds = 'exec' in source ? (source.cache ?? defaultCacheSeconds) : 0;
    if (seconds > 0) this.#held.set(name, { value, until: performance.now() + seconds * 1000 });
    return value;
  }
}

const defaultCacheSeconds = 60;

function stampOf(value: string): string {
  return `sourced:${hash('sha256', value).slice(0, 32)}`;
}

function ofValue(value: string | null): string | null {
  return value === null ? null : stampOf(value);
}
