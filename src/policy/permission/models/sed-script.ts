/** Whether a sed script only edits what it reads. Fails closed: a script that this does not know is one that may do more. */

/** A number, `$`, or a regular expression; `first~step`, `addr,+N`, `addr,~N`. */
const number = /^(?:\d+(?:~\d+)?|\$|[+~]\d+)/;
/** Commands without arguments, and those with a number. */
const simple = /^(?:[=dDgGhHnNpPxzF]|[lqQL][ \t]*\d*)/;
const label = /^(?::[ \t]*[\w.-]+|[btT][ \t]*[\w.-]*)/;
/** One line of text, which no backslash continues. */
const line = /^[aic][ \t]*(?:\\?[^\\\n]|\\[^\n])(?:\\[^\n]|[^\\\n])*(?=\n|$)/;
const end = /^[ \t]*(?:[;\n}]|#[^\n]*(?:\n|$)|$)/;
const blank = /^(?:[ \t\n;]|#[^\n]*(?:\n|$))+/;

export function onlyEdits(script: string): boolean {
  let rest = script;
  while (rest !== '') {
    const left = afterCommand(rest.replace(blank, ''));
    if (left === null) return false;
    rest = left;
  }
  return true;
}

/** What stands behind one command; `null`: it is not known to be harmless. */
function afterCommand(text: string): string | null {
  if (text === '') return '';
  if (text.startsWith('}')) return text.slice(1);
  const rest = afterAddresses(text);
  if (rest === null) return null;
  const command = rest.replace(/^[ \t!]*/, '');
  if (command.startsWith('{')) return command.slice(1);
  const written = line.exec(command)?.[0];
  if (written !== undefined) return command.slice(written.length);
  const length = lengthOf(command);
  return length === 0 || !end.test(command.slice(length)) ? null : command.slice(length);
}

function lengthOf(command: string): number {
  if (command.startsWith('s')) return lengthOfParts(command, /^[gpiImM\d]*/);
  if (command.startsWith('y')) return lengthOfParts(command, /^/);
  return (simple.exec(command) ?? label.exec(command))?.[0].length ?? 0;
}

/** `s/a/b/g`: two parts between delimiters, and flags. Zero: not closed, or a bracket may hide a delimiter. */
function lengthOfParts(command: string, flags: RegExp): number {
  const delimiter = command[1] ?? '\n';
  if (delimiter === '\n' || delimiter === '\\') return 0;
  const first = partEnd(command, 2, delimiter);
  const second = first === null ? null : partEnd(command, first, delimiter);
  return second === null ? 0 : second + (flags.exec(command.slice(second))?.[0].length ?? 0);
}

function afterAddresses(text: string): string | null {
  const first = afterAddress(text);
  if (first === null) return null;
  const comma = /^[ \t]*,[ \t]*/.exec(first)?.[0];
  if (comma === undefined || first === text) return first;
  const second = first.slice(comma.length);
  const rest = afterAddress(second);
  return rest === second ? null : rest;
}

/** The text itself where no address begins it; `null`: one that is not closed. */
function afterAddress(text: string): string | null {
  const plain = number.exec(text)?.[0];
  if (plain !== undefined) return text.slice(plain.length);
  const custom = text.startsWith('\\');
  if (!custom && !text.startsWith('/')) return text;
  const close = partEnd(text, custom ? 2 : 1, text[custom ? 1 : 0] ?? '\n');
  return close === null ? null : text.slice(close).replace(/^[IM]+/, '');
}

/** Index behind the delimiter that closes a part. */
function partEnd(text: string, from: number, delimiter: string): number | null {
  let inBrackets = false;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at];
    if (char === '\n') return null;
    if (char === delimiter) return inBrackets ? null : at + 1;
    if (char === '\\') {
      if (text[at + 1] === '\n') return null;
      at += 1;
    } else if (char === '[' && !inBrackets) {
      inBrackets = true;
      // A bracket that closes is itself meant where it stands first.
      at += /^\^?\]?/.exec(text.slice(at + 1, at + 3))?.[0].length ?? 0;
    } else if (char === ']') inBrackets = false;
  }
  return null;
}
