/** Reads a command line by the definition of its command. Everything odd is refused; nothing is guessed. */
import { parseArgs } from 'node:util';
import { CaissonError } from '../errors.ts';
import { usageLine, type Operand, type Outline } from './command.ts';
import { habitOf, separatedForms } from './habits.ts';
import { nearest } from '../lib/nearest.ts';
import { everywhere, type GivenOptions, type Option, type Options } from './option.ts';
import { UsageError } from './usage.ts';

type Values = Map<string, string[]>;

/** Throws `UsageError` for what cannot be understood, and `invalid_argument` for a value that cannot be meant. */
export function parse(outline: Outline, argv: readonly string[]): GivenOptions {
  const options: Options = { ...everywhere, ...outline.options };
  const end = argv.indexOf('--');
  const after = end < 0 ? [] : argv.slice(end + 1);
  const before = end < 0 ? argv : argv.slice(0, end);
  const { values, operands, places } = readTokens(outline, options, before);
  if (!outline.runs) operands.push(...after);
  if (!values.has('help')) {
    checkOperands(outline, operands, { args: before, places, isParted: end >= 0 });
    if (outline.runs) checkCommand(outline, after);
  }
  return {
    text: (name: string) => values.get(name)?.[0],
    list: (name: string) => values.get(name) ?? [],
    flag: (name: string) => values.has(name),
    operands,
    command: outline.runs ? after : [],
  };
}

function readTokens(
  outline: Outline,
  options: Options,
  args: readonly string[],
): { values: Values; operands: string[]; places: readonly number[] } {
  const { tokens } = parseArgs({
    args: [...args],
    options: forParseArgs(options),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values: Values = new Map();
  const operands: string[] = [];
  const places: number[] = [];
  const maxOperands = operandLimit(outline);
  for (const token of tokens) {
    if (token.kind === 'positional') {
      operands.push(token.value);
      places.push(token.index);
    }
    // Options behind the first word of a command without -- are the command's own.
    if (outline.runs && operands.length > maxOperands) break;
    if (token.kind === 'option') readOption({ outline, options, values }, token);
  }
  return { values, operands, places };
}

function forParseArgs(
  options: Options,
): Record<string, { type: 'string' | 'boolean'; multiple: true; short?: string }> {
  return Object.fromEntries(
    Object.entries(options).map(([name, { type, short }]) => [
      name,
      {
        type: type === 'flag' ? ('boolean' as const) : ('string' as const),
        multiple: true as const,
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
}

interface Reading {
  readonly outline: Outline;
  readonly options: Options;
  readonly values: Values;
}

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function readOption({ outline, options, values }: Reading, token: OptionToken): void {
  const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
  if (option === undefined) throw unknownOptionError(outline, options, token.rawName);
  const earlier = values.get(token.name) ?? [];
  if (earlier.length > 0 && option.type !== 'list') {
    throw new CaissonError('invalid_argument', `${token.rawName} is given twice`, { remedy: 'give it once' });
  }
  values.set(token.name, [...earlier, readValue(outline, option, token)]);
}

function readValue(outline: Outline, option: Option, { rawName, value, inlineValue }: OptionToken): string {
  const shown = option.value ?? 'VALUE';
  if (option.type === 'flag') {
    if (value === undefined) return '';
    throw new UsageError(`${rawName} takes no value`, { usage: usageLine(outline) });
  }
  if (value === undefined)
    throw new UsageError(`${rawName} needs a value: ${rawName} ${shown}`, { usage: usageLine(outline) });
  if (value === '')
    throw new CaissonError('invalid_argument', `${rawName} is empty`, {
      remedy: `write ${rawName} ${shown}, or leave it out`,
    });
  if (value.startsWith('-') && inlineValue !== true) {
    throw new UsageError(`${rawName} needs a value: ${rawName} ${shown}`, {
      usage: usageLine(outline),
      remedy: `if ${value} is the value, write ${rawName.startsWith('--') ? `${rawName}=${value}` : `${rawName}${value}`}`,
    });
  }
  return value;
}

function unknownOptionError(outline: Outline, options: Options, rawName: string): UsageError {
  const near = rawName.startsWith('--') ? nearest(rawName.slice(2), Object.keys(options)) : wasShort(rawName, options);
  const separator = outline.runs ? '; options of the command to run stand after --' : '';
  return new UsageError(`unknown option ${rawName}${separator}`, {
    usage: usageLine(outline),
    remedy:
      habitOf(rawName, outline.name) ?? (near === null ? `caisson ${outline.name} --help` : `did you mean --${near}?`),
  });
}

/** `-t` was once short for `--task`. */
function wasShort(rawName: string, options: Options): string | null {
  return rawName === '-t' && 'task' in options ? 'task' : null;
}

function operandLimit({ operands }: Outline): number {
  return operands.some(({ count }) => count === 'any' || count === 'many') ? Number.POSITIVE_INFINITY : operands.length;
}

interface Typed {
  readonly args: readonly string[];
  /** The index in `args` of each operand. */
  readonly places: readonly number[];
  /** Whether `--` was given. */
  readonly isParted: boolean;
}

function checkOperands(outline: Outline, given: readonly string[], typed: Typed): void {
  const least = outline.operands.filter(({ count }) => count === 'one' || count === 'many').length;
  const max = operandLimit(outline);
  const empty = given.indexOf('');
  if (empty >= 0) throw new CaissonError('invalid_argument', `argument ${empty + 1} is empty`);
  if (given.length < least) throw missingArgumentError(outline, outline.operands[given.length]);
  if (given.length <= max) return;
  const words = given.slice(max);
  if (!outline.runs) throw surplusArgumentsError(outline, words);
  throw typed.isParted ? beforeSeparatorError(outline, words) : separatorMissingError(outline, typed);
}

function missingArgumentError(outline: Outline, operand: Operand | undefined): UsageError {
  return new UsageError(`caisson ${outline.name} needs ${operand?.name ?? 'an argument'}`, {
    usage: usageLine(outline),
    remedy: `caisson ${outline.name} --help`,
  });
}

function surplusArgumentsError(outline: Outline, words: readonly string[]): UsageError {
  return new UsageError(`too many arguments: ${words.join(' ')}`, { usage: usageLine(outline) });
}

const alternatives = ({ options }: Outline, word: string): string =>
  'image' in options ? `--task ${word}, or --image ${word}` : `--task ${word}`;

/** In most cases the word is meant as the task, or as the image. */
function beforeSeparatorError(outline: Outline, [word = '']: readonly string[]): UsageError {
  return new UsageError(`${word} before -- is no option, and no argument of caisson ${outline.name}`, {
    usage: usageLine(outline),
    ...('task' in outline.options ? { remedy: `did you mean ${alternatives(outline, word)}?` } : {}),
  });
}

/** The suggestion keeps the options that were typed. */
function separatorMissingError(outline: Outline, { args, places }: Typed): UsageError {
  const at = places[operandLimit(outline)] ?? args.length;
  const start = ['caisson', ...outline.name.split(' '), ...args.slice(0, at)];
  return new UsageError('the command to run stands after --', {
    usage: usageLine(outline),
    remedy: separatedForms(start, args.slice(at), 'image' in outline.options && outline.operands.length === 0),
  });
}

function checkCommand(outline: Outline, command: readonly string[]): void {
  if (command.length === 0) {
    throw new UsageError(`caisson ${outline.name} needs a command after --`, {
      usage: usageLine(outline),
      remedy: `caisson ${outline.name} --help`,
    });
  }
  if (command[0] === '') throw new CaissonError('invalid_argument', 'the command after -- is empty');
}
