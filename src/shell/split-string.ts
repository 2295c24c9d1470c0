/** How `env -S` of GNU and FreeBSD splits its string into words (env(1), "-S/--split-string usage"). */
import { hole } from './types.ts';

const outside: Readonly<Record<string, string>> = { f: '\f', n: '\n', r: '\r', t: '\t', v: '\v', _: ' ' };

/** The words as shell text, variables as the shell writes them: env takes them from its environment. `null`: env takes no such string. */
export function splitString(text: string): readonly string[] | null {
  const splitter = new Splitter(text);
  return splitter.split() ? splitter.words : null;
}

class Splitter {
  readonly words: string[] = [];
  readonly #text: string;
  #at = 0;
  #quote = '';
  #word: string | null = null;

  constructor(text: string) {
    this.#text = text;
  }

  split(): boolean {
    for (; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text[this.#at] ?? '';
      // Behind `\c`, and in a comment, nothing is read.
      if (this.#quote === '' && this.#word === null && char === '#') break;
      if (char === '\\' && this.#text[this.#at + 1] === 'c' && this.#quote === '') break;
      if (!this.#step(char)) return false;
    }
    this.#end();
    return this.#quote === '';
  }

  #step(char: string): boolean {
    if (char === this.#quote && char !== '') this.#quote = '';
    else if (this.#quote === '' && /['"]/.test(char)) {
      this.#quote = char;
      this.#add('');
    } else if (this.#quote === '' && /\s/.test(char)) this.#end();
    else if (char === '\\') return this.#escape();
    else if (char === '$' && this.#quote !== "'") return this.#variable();
    else this.#add(quoted(char));
    return true;
  }

  #escape(): boolean {
    this.#at += 1;
    const char = this.#text[this.#at];
    if (char === undefined) return false;
    if (this.#quote === "'" && !/[\\']/.test(char)) this.#add(quoted(`\\${char}`));
    else if (char === '_' && this.#quote === '') this.#end();
    else this.#add(quoted(outside[char] ?? char));
    return true;
  }

  #variable(): boolean {
    const name = /^\$\{([A-Za-z_]\w*)\}/.exec(this.#text.slice(this.#at, this.#at + 256))?.[0];
    if (name === undefined) return false;
    this.#add(`"${name}"`);
    this.#at += name.length - 1;
    return true;
  }

  #add(text: string): void {
    this.#word = `${this.#word ?? ''}${text}`;
  }

  #end(): void {
    if (this.#word !== null) this.words.push(this.#word === '' ? "''" : this.#word);
    this.#word = null;
  }
}

const plain = /^[\w./,:@%+=~\u0001-]$/;

function quoted(char: string): string {
  if (char === hole) return char;
  return plain.test(char) ? char : char === "'" ? '"\'"' : `'${char}'`;
}
