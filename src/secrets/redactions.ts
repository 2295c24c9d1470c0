/** The declared values of this process, and redaction of what may print them. */
import { operator } from '../values/caller.ts';
import { isPlaceholder } from './placeholder.ts';
import { classify } from '../redact/names.ts';
import { Redaction } from '../redact/redactor.ts';
import type { Declared } from '../redact/types.ts';

/** Each costs memory in the table that all streams share. The newest stay. */
const maxValues = 64;
/** A shorter value is a switch, and found in every text, unless its name is that of a secret. */
const shortestValue = 8;
/** Names that say who and where, and are passed on for that. */
const ordinary = /^(?:PATH|HOME|USER|LOGNAME|LANG|LC_[A-Z]+|TERM|TMPDIR|TMP|TEMP|SHELL|TZ|PWD|HOSTNAME|XDG_[A-Z_]+)$/;

export type Variables = Readonly<Record<string, string>>;

/**
 * Frozen at start: nothing that runs later can turn it off. What was declared for one command stays known, since a file
 * may keep it for the next. Each owner of the service has values of its own beside those that all know: what is replaced in
 * the output of one would else show what another one has.
 */
export class Redactions {
  readonly #enabled: boolean;
  readonly #common: Redactions | null;
  readonly #values = new Map<string, Declared>();
  readonly #owners = new Map<string, Redactions>();
  #made: { readonly redaction: Redaction; readonly common: Redaction | null } | null = null;

  constructor({ enabled }: { readonly enabled: boolean }, common: Redactions | null = null) {
    this.#enabled = enabled;
    this.#common = common;
  }

  /** For what belongs to one owner; the operator's are those that all know. */
  of(owner: string): Redactions {
    if (owner === operator) return this;
    const known = this.#owners.get(owner) ?? new Redactions({ enabled: this.#enabled }, this);
    this.#owners.set(owner, known);
    return known;
  }

  /** Replaces all that is declared now. `null`: redaction is off. */
  current(): Redaction | null {
    return this.#enabled ? this.#compiled() : null;
  }

  /** Declares the secrets among the variables of a command, of which `forwarded` come from the operator's host. */
  declareVariables(env: Variables, forwarded: readonly string[]): void {
    if (this.#enabled) this.declare(declaredIn(env, new Set(forwarded)));
  }

  /** Secrets from now on, in the output of every command. */
  declare(values: readonly Declared[]): void {
    const known = this.#values.size;
    const before = [...this.#values.keys()].at(-1);
    for (const declared of values) this.#keep(declared);
    if (this.#values.size !== known || [...this.#values.keys()].at(-1) !== before) this.#made = null;
  }

  #compiled(): Redaction {
    const common = this.#common === null ? null : this.#common.#compiled();
    if (common !== null && this.#values.size === 0) return common;
    if (this.#made === null || this.#made.common !== common)
      this.#made = { redaction: new Redaction(this.#all()), common };
    return this.#made.redaction;
  }

  #all(): readonly Declared[] {
    const common = this.#common === null ? [] : [...this.#common.#values.values()];
    return [...common, ...this.#values.values()];
  }

  #keep(declared: Declared): void {
    const key = `${declared.name}=${declared.value}`;
    if (this.#values.has(key)) return;
    const [oldest] = this.#values.keys();
    if (this.#values.size >= maxValues && oldest !== undefined) this.#values.delete(oldest);
    this.#values.set(key, declared);
  }
}

export function declaredIn(env: Variables, forwarded: ReadonlySet<string>): readonly Declared[] {
  return Object.entries(env).flatMap(([name, value]) =>
    !isPlaceholder(value) &&
    (namesSecret(name) || (forwarded.has(name) && !ordinary.test(name) && value.length >= shortestValue))
      ? [{ name, value }, ...passwordIn(value).map((password) => ({ name, value: password }))]
      : [],
  );
}

/** Finds the password in an address: programs print it without what stands around it. */
function passwordIn(value: string): readonly string[] {
  const [, password = ''] = /:\/\/[^/?#\s@:]*:([^/?#\s@]+)@/.exec(value) ?? [];
  return password.length < shortestValue ? [] : [...new Set([password, decoded(password)])];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function namesSecret(name: string): boolean {
  return classify(name) !== null;
}
