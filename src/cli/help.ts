/** Help, made from the definitions. */
import { usageLine, type Command } from './command.ts';
import { everywhere, type Option, type Options } from './option.ts';
import { usageExitCode } from './usage.ts';

export function helpOf(command: Command): string {
  const blocks = [
    `Usage: ${usageLine(command)}`,
    `${command.summary}.`,
    ...(command.about === undefined ? [] : [command.about]),
    ...section('Options', optionLines(command.options)),
    ...section('Everywhere', optionLines(everywhere)),
    ...section('Exit code', command.exitsAsCommand ? commandExits : plainExits),
    ...section(
      'Examples',
      command.examples.flatMap(([what, line]) => [`# ${what}`, `caisson ${line}`]),
    ),
  ];
  return `${blocks.join('\n\n')}\n`;
}

/** Help of the first word of several commands, such as `config`. */
export function helpOfGroup(group: string, commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  const lines = commands.map(({ name, summary }) => `${name.padEnd(width)}  ${summary}`);
  return `Usage: caisson ${group} COMMAND\n\n${section('Commands', lines).join('')}\n\ncaisson ${group} COMMAND --help tells more.\n`;
}

const plainExits = [
  '0 done',
  '1 the answer is no, or a part failed',
  `${usageExitCode} the command line is not understood, or an option has an invalid value`,
  '125 Caisson failed',
];
const commandExits = [
  "the command's own; 128+n when signal n ended it; 124 when its time was over",
  `${usageExitCode} the command line is not understood; 125 it could not be run; 126 policy denied it; 130 interrupted`,
];

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${title}:\n${lines.map((line) => `  ${line}`).join('\n')}`];
}

function optionLines(options: Options): string[] {
  const entries = Object.entries(options).map(([name, option]) => ({
    form: optionForm(name, option),
    about: option.about,
  }));
  const width = Math.max(24, ...entries.map(({ form }) => form.length));
  return entries.map(({ form, about }) => `${form.padEnd(width)}  ${about}`);
}

export function optionForm(name: string, { short, value, type }: Option): string {
  const start = short === undefined ? '    ' : `-${short}, `;
  return `${start}--${name}${type === 'flag' ? '' : ` ${value ?? 'VALUE'}`}`;
}

/** Wraps each line at words. What stands behind two spaces is a column, and goes on below it; lines to be typed stay whole. */
export function wrapped(text: string, width: number | null): string {
  if (width === null) return text;
  return text
    .split('\n')
    .map((line) => (/^ {2}caisson /.test(line) ? line : wrappedLine(line, width)))
    .join('\n');
}

const narrowestColumn = 16;

function wrappedLine(line: string, width: number): string {
  if (line.length <= width) return line;
  const [before = ''] = /^ *(?:\S(?:\S| (?! ))* {2,})?/.exec(line) ?? [];
  const indent = width - before.length < narrowestColumn ? 4 : before.length;
  const lines: string[] = [];
  let current = before.trimEnd() === '' ? before : before.trimEnd().padEnd(before.length);
  let isFresh = true;
  for (const word of line.slice(before.length).split(' ')) {
    if (!isFresh && current.length + 1 + word.length > width) {
      lines.push(current);
      current = ' '.repeat(indent);
      isFresh = true;
    } else if (isFresh && current.trim() !== '' && current.length + word.length > width) {
      lines.push(current.trimEnd());
      current = ' '.repeat(indent);
    }
    current += `${isFresh ? '' : ' '}${word}`;
    isFresh = false;
  }
  return [...lines, current].join('\n');
}
