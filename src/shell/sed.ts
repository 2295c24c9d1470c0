/** What a script of GNU sed runs, and which files it writes: the commands `e` and `w`, and `s` with these as flags. */

/** Texts for a shell, of the scripts among its arguments: several are one script, line by line, as for sed itself. */
export function sedCallsOf(args: readonly string[]): readonly string[] {
  return sedCalls(scriptsOf(args).join('\n'));
}

/** Files that they write. */
export function sedWritesOf(args: readonly string[]): readonly string[] {
  const script = new Script(scriptsOf(args).join('\n'));
  while (script.writes.length < maxCalls && script.step());
  return script.writes;
}

/** Options whose value is the next word, or the rest of this one. */
const script = /^-[nErsuz]*e/;
const other = /^-[nErsuz]*[fl]/;

function scriptsOf(texts: readonly string[]): readonly string[] {
  if (texts.some((text) => /^--sandb/.test(text))) return [];
  const scripts: string[] = [];
  const operands: string[] = [];
  let fromFile = false;
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts[at] ?? '';
    const long = /^--exp[a-z]*(?:=([^]*))?$/.exec(text);
    if (text === '--')
      return scripts.length > 0 || fromFile ? scripts : [...operands, ...texts.slice(at + 1)].slice(0, 1);
    if (long !== null) scripts.push(long[1] ?? texts[(at += 1)] ?? '');
    else if (script.test(text)) scripts.push(text.replace(script, '') || (texts[(at += 1)] ?? ''));
    else if (/^--fi/.test(text) || other.test(text)) {
      fromFile ||= !/^-[nErsuz]*l/.test(text);
      if (/^--[a-z]+$/.test(text) || /[fl]$/.test(text)) at += 1;
    } else if (!text.startsWith('-') || text === '-') operands.push(text);
  }
  return scripts.length > 0 || fromFile ? scripts : operands.slice(0, 1);
}

const maxCalls = 16;
const space = /[\s;]*/y;
const address =
  /(?:\d+(?:~\d+)?|\$|[+~]\d+|\u0000+|\/(?:\\[^]|\[(?:\^\]|\]|\^(?!\])|(?![\^\]]))[^\]]*\]|[^\\/[])*\/[IM]*|\\(.)(?:\\[^]|(?!\1)[^\\])*\1[IM]*)/y;
const restOfLine = /[^\n]*/y;
/** Text of the commands `a`, `i`, `c` and `e`: it ends with a line that has no backslash at its end. */
const text = /(?:\\[^]|[^\\\n])*/y;
const label = /[ \t]*[^\s;]*/y;
/** Commands that take nothing, and what is not known before. */
const others = /^[{}=dDgGhHnNpPxzF\s\0]?$/;
const number = /[ \t]*\d*/y;
const flags = /(?:[gpIimMe\d \t]|w[^\n]*)*/y;

/** Empty where sed runs what it has read, which is not known before. */
export function sedCalls(source: string): readonly string[] {
  const script = new Script(source);
  while (script.calls.length < maxCalls && script.step());
  return script.calls;
}

class Script {
  readonly calls: string[] = [];
  readonly writes: string[] = [];
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Reads one command with its addresses; `false` at the end, and where sed would take no such script. */
  step(): boolean {
    if (this.#at >= this.#source.length) return false;
    this.#take(space);
    if (this.#take(address) !== null && this.#take(/[ \t]*,[ \t]*/y) !== null) this.#take(address);
    this.#take(/[ \t!]*/y);
    const command = this.#source[this.#at] ?? '';
    this.#at += 1;
    return this.#command(command);
  }

  #command(command: string): boolean {
    if (command === 'e') this.calls.push(unescaped(this.#take(text) ?? ''));
    else if (command === 's' || command === 'y') this.#replace(command);
    else if (/[aic]/.test(command)) this.#take(text);
    else if (/[wW]/.test(command)) this.writes.push((this.#take(restOfLine) ?? '').trim());
    else if (/[rR#]/.test(command)) this.#take(restOfLine);
    else if (/[:btTv]/.test(command)) this.#take(label);
    else if (/[qQlL]/.test(command)) this.#take(number);
    else return others.test(command);
    return true;
  }

  #replace(command: string): void {
    const [from, to] = delimited(this.#source, this.#at);
    this.#at = to;
    const given = command === 's' ? (this.#take(flags) ?? '') : '';
    const [, file] = /w[ \t]*(.+)$/.exec(given) ?? [];
    if (file !== undefined) this.writes.push(file);
    if (given.replace(/w[^]*/, '').includes('e'))
      this.calls.push(plainOf(this.#source.slice(from, Math.max(from, to - 1))));
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source)?.[0] ?? null;
    this.#at += found?.length ?? 0;
    return found;
  }
}

/** Offsets at which the second part of `s` or `y` begins and ends. */
function delimited(source: string, from: number): readonly [number, number] {
  const mark = source[from] ?? '';
  const ends: number[] = [];
  let inClass = false;
  for (let at = from + 1; at < source.length && ends.length < 2; at += 1) {
    const char = source[at];
    if (char === '\\') at += 1;
    else if (char === mark && !inClass) ends.push(at + 1);
    else if (ends.length === 0 && char === '[') {
      inClass = true;
      if (source[at + 1] === '^') at += 1;
      if (source[at + 1] === ']') at += 1;
    } else if (char === ']') inClass = false;
  }
  return [ends[0] ?? source.length, ends[1] ?? source.length];
}

/** What a replacement says by itself; what it takes over from the line is not known. */
const plainOf = (replacement: string): string => unescaped(replacement.replace(/\\\d|(?<!\\)&/g, ''));

const unescaped = (written: string): string => written.replace(/\\([^])/g, '$1').trim();
