/**
 * What differs between two runs of one command by any engine: numbers of processes, times, names of terminals. A case names the
 * fields that it has; those of `always` are in every output.
 */

const replacements = {
  /** Numbers of processes, where a word or a bracket says that they are. */
  pid: [/(\bpid|^\[\d+\][-+]?|\bwaitpid\(|\bPTRACE_ATTACH,|\bProcess) *\d+/gm, '$1 PID'],
  /** Dates and times of day, as ls and its like write them. */
  time: [/\b(?:[A-Z][a-z]{2} [ \d]\d (?:\d\d:\d\d| \d{4})|\d{4}-\d\d-\d\d \d\d:\d\d)/g, 'TIME'],
  inode: [/\b(pipe|socket):\[\d+\]/g, '$1:[INODE]'],
  tty: [/(\/dev\/)?pts\/\d+/g, 'TTY'],
  /** How deep the shell is that traces. */
  trace: [/^([+>])\1* /gm, '$1 '],
} as const satisfies Readonly<Record<string, readonly [RegExp, string]>>;

/** A list of processes is another one each time: what stays are its head, and lines that the case itself makes. */
const ownLine = /^ *(?:(?:F +S +)?(?:USER|UID|PID|PPID)(?: +[A-Z%]+)*|end\b.*)$|(?:^|\s)(oracle-HERE [\d.]+)$/;

/** `content`: files hold times, so that their names and modes alone are compared. */
export type Field = keyof typeof replacements | 'ps' | 'content';

const special: ReadonlySet<string> = new Set(['ps', 'content']);

export function isField(name: string): name is Field {
  return special.has(name) || Object.hasOwn(replacements, name);
}

/** Bytes with `fields` made equal, and the names of the directory and of the shell. */
export function without(fields: readonly Field[], directory: string, bytes: Buffer): Buffer {
  let text = bytes.toString('latin1');
  text = text.replaceAll(directory, 'HERE').replaceAll(directory.replace(/^.*\//, ''), 'HERE');
  text = withoutSpeaker(text);
  for (const field of fields) text = field === 'ps' ? ownLines(text) : replaced(text, field);
  return Buffer.from(text, 'latin1');
}

/** `manifest.sh` has the sum at the end of a line. */
export function withoutSums(files: string): string {
  return files.replace(/ [0-9a-f]{64}$/gm, '');
}

function replaced(text: string, field: Exclude<Field, 'ps'>): string {
  if (field === 'content') return text;
  const [pattern, by] = replacements[field];
  return text.replace(pattern, by);
}

/** A shell begins a message with its name and the line, and names the number of a process that a signal ended. */
function withoutSpeaker(text: string): string {
  return text
    .replace(/^(?:\/[\w/]*\/)?(?:bash|sh|environment|main\.sh): (?:-c: |eval: )?line \d+: */gm, 'SHELL: ')
    .replace(/^main\.sh: /gm, 'bash: ')
    .replace(/^SHELL: +\d+ /gm, 'SHELL: PID ')
    .replace(/(here-document at line )\d+/g, '$1N');
}

function ownLines(text: string): string {
  const kept = text.split(/\r?\n/).flatMap((line) => {
    const own = ownLine.exec(line);
    return own === null ? [] : [own[1] ?? line.replace(/ +/g, ' ')];
  });
  return kept.join('\n');
}
