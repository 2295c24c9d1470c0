/** From a word as it is written to the words that the program gets. */
import { valueUnits } from './limits.ts';
import { expandBraces } from './braces.ts';
import { outputOf } from './output.ts';
import { expandParameter, variable } from './parameter.ts';
import { closeOf, decodeEscapes } from './quoting.ts';
import { hole, homeMark, wordBreak, type Scope, type Word } from './types.ts';

const plain = /^[\w./,+:@%=-]+$/;
const maxNested = 6;

/** Range of a word in the text, and how deep in substitutions it stands. */
export interface At {
  readonly start: number;
  readonly end: number;
  readonly nested?: number;
}

/** None, when it expands to nothing. Braces and unquoted values with blanks give several. */
export function resolveWord(raw: string, at: At, scope: Scope): readonly Word[] {
  if (plain.test(raw)) return [{ text: raw, raw, start: at.start, end: at.end, literal: true, glob: false }];
  return expandBraces(raw).flatMap((each) => new Resolver(each, at, scope).words(raw));
}

/** The value of an assignment: one word, without splitting. */
export function resolveValue(raw: string, scope: Scope): string {
  const resolved = new Resolver(raw, { start: 0, end: 0 }, scope)
    .words(raw)
    .map(({ text }) => text)
    .join(' ');
  return resolved.length > valueUnits ? hole : resolved;
}

/** Text in which only expansions are special, as in a here-document. */
export function resolveText(raw: string, scope: Scope): string {
  const resolver = new Resolver(`"${raw.replaceAll('"', '\\"')}"`, { start: 0, end: 0 }, scope);
  return resolver.words(raw)[0]?.text ?? '';
}

class Resolver {
  readonly #raw: string;
  readonly #at: At;
  readonly #scope: Scope;
  readonly #done: string[] = [];
  #text = '';
  #open = false;
  #literal = true;
  #glob = false;
  #next = 0;

  constructor(raw: string, at: At, scope: Scope) {
    this.#raw = raw;
    this.#at = at;
    this.#scope = scope;
  }

  words(written: string): readonly Word[] {
    if (/^~(?:\/|$)/.test(this.#raw)) {
      this.#add(homeMark);
      this.#next = 1;
    } else if (/^~root(?:\/|$)/.test(this.#raw)) {
      this.#add('/root');
      this.#next = 5;
    }
    while (this.#next < this.#raw.length) this.#step();
    this.#cut();
    const { start, end } = this.#at;
    return this.#done.map((text) => ({ text, raw: written, start, end, literal: this.#literal, glob: this.#glob }));
  }

  #add(text: string): void {
    this.#text += text;
    this.#open = true;
  }

  #cut(): void {
    if (this.#open) this.#done.push(this.#text);
    this.#text = '';
    this.#open = false;
  }

  #step(): void {
    const char = this.#raw[this.#next] ?? '';
    if (char === '\\') this.#escaped(/[^\n]/);
    else if (char === "'") this.#single();
    else if (char === '"') this.#double();
    else if (char === '$' || char === '`') this.#expansion(false);
    else if ((char === '<' || char === '>') && this.#raw[this.#next + 1] === '(') this.#skipTo(')', 2, hole);
    else {
      this.#glob ||= char === '*' || char === '?' || char === '[';
      this.#add(char);
      this.#next += 1;
    }
  }

  /** A backslash before what is not `special` stays in quotes; outside of them everything is. */
  #escaped(special: RegExp): void {
    const char = this.#raw[this.#next + 1] ?? '';
    if (char !== '\n') this.#add(special.test(char) ? char : `\\${char}`);
    this.#next += 2;
  }

  #single(): void {
    const close = this.#raw.indexOf("'", this.#next + 1);
    const end = close < 0 ? this.#raw.length : close;
    this.#add(this.#raw.slice(this.#next + 1, end));
    this.#next = end + 1;
  }

  #double(): void {
    this.#add('');
    this.#next += 1;
    while (this.#next < this.#raw.length && this.#raw[this.#next] !== '"') {
      const char = this.#raw[this.#next] ?? '';
      if (char === '\\') this.#escaped(/[$`"\\]/);
      else if (char === '$' || char === '`') this.#expansion(true);
      else {
        this.#add(char);
        this.#next += 1;
      }
    }
    this.#next += 1;
  }

  #expansion(quoted: boolean): void {
    const rest = this.#raw.slice(this.#next + 1, this.#next + 3);
    if (this.#raw[this.#next] === '`') this.#substitution(1, '`', quoted);
    else if (!quoted && rest.startsWith("'")) this.#ansi();
    else if (!quoted && rest.startsWith('"')) this.#next += 1;
    else if (rest === '((') this.#skipTo(')', 2, hole);
    else if (rest.startsWith('[')) this.#skipTo(']', 2, hole);
    else if (rest.startsWith('(')) this.#substitution(2, ')', quoted);
    else if (rest.startsWith('{')) this.#braced(quoted);
    else this.#named(quoted);
  }

  #ansi(): void {
    let end = this.#next + 2;
    while (end < this.#raw.length && this.#raw[end] !== "'") end += this.#raw[end] === '\\' ? 2 : 1;
    // A NUL ends what the quotes hold.
    this.#add(decodeEscapes(this.#raw.slice(this.#next + 2, end)).split('\0', 1)[0] ?? '');
    this.#next = end + 1;
  }

  #named(quoted: boolean): void {
    const name = /^(?:[A-Za-z_]\w*|[\d@*#?$!-])/.exec(this.#raw.slice(this.#next + 1, this.#next + 128))?.[0];
    if (name === undefined) {
      this.#add('$');
      this.#next += 1;
      return;
    }
    this.#next += 1 + name.length;
    this.#literal = false;
    if (name === 'IFS' && !quoted && !this.#scope.vars.has('IFS')) this.#cut();
    else if (name === '@' || name === '*') this.#several(this.#scope.vars.get('@') ?? hole);
    else this.#value(variable(name, this.#scope) ?? hole, quoted);
  }

  #several(words: string): void {
    for (const [index, word] of words.split(wordBreak).entries()) {
      if (index > 0) this.#cut();
      this.#add(word);
    }
  }

  #braced(quoted: boolean): void {
    const close = closeOf(this.#raw, this.#next + 2, '}');
    const end = close < 0 ? this.#raw.length : close;
    const { text, separates, word } = expandParameter(this.#raw.slice(this.#next + 2, end), this.#scope);
    this.#next = end + 1;
    this.#literal = false;
    if (separates && !quoted) this.#cut();
    else if (text.includes(wordBreak)) this.#several(text);
    else if (word === null) this.#value(text, quoted);
    else this.#value(this.#inner(word), quoted);
  }

  #substitution(width: number, closer: string, quoted: boolean): void {
    const close = closeOf(this.#raw, this.#next + width, closer);
    const end = close < 0 ? this.#raw.length : close;
    const inside = this.#raw.slice(this.#next + width, end);
    this.#next = end + 1;
    this.#literal = false;
    this.#value(this.#written(closer === '`' ? inside.replace(/\\([$`\\])/g, '$1') : inside), quoted);
  }

  /** What a substitution writes, without the newlines at its end. */
  #written(command: string): string {
    const nested = (this.#at.nested ?? 0) + 1;
    const document = heldIn(command);
    if (document !== null) return document;
    const [, source = command, decodes] = /^([^|<>]*)(\|\s*base64\s+(?:-d|-D|--decode)\s*)$/.exec(command) ?? [];
    const text = nested > maxNested ? hole : this.#output(source, nested);
    return decodes === undefined || text === hole
      ? text
      : Buffer.from(text, 'base64').toString('utf8').replaceAll(hole, '');
  }

  #output(command: string, nested: number): string {
    const raws = wordsOfSimple(command);
    if (raws === null) return hole;
    const words = raws.flatMap((raw) => resolveWord(raw, { ...this.#at, nested }, this.#scope));
    const output = outputOf(
      words.map(({ text }) => text),
      this.#scope.cwd,
    );
    return output === null ? hole : output.replace(/\n+$/, '');
  }

  #inner(word: string): string {
    const nested = (this.#at.nested ?? 0) + 1;
    if (nested > maxNested) return hole;
    return resolveWord(word, { ...this.#at, nested }, this.#scope)
      .map(({ text }) => text)
      .join(' ');
  }

  #value(value: string, quoted: boolean): void {
    const bounded = value.length > valueUnits ? hole : value;
    if (quoted || !/[ \t\n*?[]/.test(bounded)) {
      if (bounded !== '' || quoted) this.#add(bounded);
      return;
    }
    this.#glob ||= /[*?[]/.test(bounded);
    for (const [index, part] of bounded.split(/[ \t\n]+/).entries()) {
      if (index > 0) this.#cut();
      if (part !== '') this.#add(part);
    }
  }

  #skipTo(closer: string, width: number, text: string): void {
    const close = closeOf(this.#raw, this.#next + width, closer);
    this.#next = (close < 0 ? this.#raw.length : close) + 1;
    this.#literal = false;
    this.#add(text);
  }
}

/** The document of `cat <<'E'`, when that is the whole command. */
export function heldIn(command: string): string | null {
  const [head = '', quote, end = ''] = /^\s{0,9}cat <<-? ?(['"]?)(\w+)\1[ \t]{0,9}\n/.exec(command) ?? [];
  if (head === '') return null;
  const body = command.slice(head.length).trimEnd();
  if (!body.endsWith(end)) return null;
  return quote === '' && /[$`\\]/.test(body) ? hole : body.slice(0, -end.length).replace(/\n$/, '');
}

/** The words of a text that is one simple command without redirections; `null` when it is anything else. */
export function wordsOfSimple(text: string): readonly string[] | null {
  const words: string[] = [];
  let from = -1;
  for (let at = 0; at <= text.length; at += 1) {
    const char = text[at] ?? ' ';
    if (/[;&|<>()#]/.test(char) || (char === '\n' && text.slice(at).trim() !== '' && words.length > 0)) return null;
    if (/\s/.test(char)) {
      if (from >= 0) words.push(text.slice(from, at));
      from = -1;
      continue;
    }
    if (from < 0) from = at;
    at = endOfQuoted(text, at);
    if (at < 0) return null;
  }
  return words.length === 0 ? null : words;
}

/** Index of the last unit of what starts here: itself, unless it is a quote, an escape or an expansion. */
function endOfQuoted(text: string, at: number): number {
  const char = text[at];
  if (char === '\\') return at + 1;
  if (char === "'") return text.indexOf("'", at + 1);
  if (char === '"' || char === '`') return closeOf(text, at + 1, char);
  if (char === '$' && text[at + 1] === '(') return closeOf(text, at + 2, ')');
  if (char === '$' && text[at + 1] === '{') return closeOf(text, at + 2, '}');
  return at;
}
