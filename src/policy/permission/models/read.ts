/** Reads the words of a command by a model: options in full, clusters taken apart, values by their kind. Pure. */
import { hole, type Word } from '../../../shell/types.ts';
import { dashed, kinds } from './kinds.ts';
import type { Model } from './model.ts';
import { parseTable, type Option, type Table } from './table.ts';

/** What the model does not cover, as a message names it: `the option --exec`. `null`: it covers all words. */
export function uncovered(words: readonly Word[], model: Model): string | null {
  const unknown = words.some(({ literal, text }) => !literal || text.includes(hole));
  if (unknown) return 'a word that is not known before it runs';
  return model.bundled === true ? bundled(words, model) : readFrom({ words, model, at: 0 });
}

interface Reading {
  readonly words: readonly Word[];
  readonly model: Model;
  /** Index of the first word that has not been read yet. */
  readonly at: number;
}

/** What is not covered, or how many words it has; all that are left, where another model has read them. */
type Step = string | number;

interface OperandState {
  operands: number;
  /** Behind `--` stand operands alone. */
  hasEnded: boolean;
}

function readFrom({ words, model, at: from }: Reading): string | null {
  const seen: OperandState = { operands: 0, hasEnded: false };
  for (let at = from; at < words.length;) {
    const step = stepAt({ words, model, at }, seen);
    if (typeof step === 'string') return step;
    at += step;
  }
  return null;
}

function stepAt(reading: Reading, seen: OperandState): Step {
  const { words, model, at } = reading;
  const word = words[at];
  if (word === undefined) return Infinity;
  if (word.text === '--' && !seen.hasEnded) {
    seen.hasEnded = true;
    return 1;
  }
  if (isOption(word.text)) return seen.hasEnded ? `the word ${shown(word.text)} behind --` : optionStep(reading, seen);
  if (model.commands !== undefined) return subcommand(reading) ?? Infinity;
  seen.operands += 1;
  return operandWrong(word, model, seen.operands - 1) ?? 1;
}

function optionStep(reading: Reading, seen: OperandState): Step {
  const { words, model, at } = reading;
  if (seen.operands === 0 && model.supplied?.test(words[at]?.text ?? '') === true) seen.operands = 1;
  return optionAt(reading);
}

const isOption = (text: string): boolean => text.startsWith('-') && text !== '-';

function subcommand({ words, model, at }: Reading): string | null {
  const name = words[at]?.text ?? '';
  const { commands = {} } = model;
  const inner = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return inner === undefined ? `the subcommand ${shown(name)}` : readFrom({ words, model: inner, at: at + 1 });
}

function operandWrong(word: Word, { operands = 'any*', kinds: own = {} }: Model, at: number): string | null {
  if (mayBecomeOption(word)) return 'a pattern that may stand for an option';
  const list = operands.split(' ');
  const last = list.at(-1) ?? '';
  const kind = list[at] ?? (last.endsWith('*') ? last : undefined);
  if (kind === undefined) return 'one more operand';
  const test = testOf(kind.replace('*', ''), own);
  return test(word.text, word.glob) ? null : 'one of its operands';
}

const mayBecomeOption = ({ text, glob }: Word): boolean => glob && /^[-*?[]/.test(text);

function optionAt(reading: Reading): Step {
  const { words, model, at } = reading;
  const { text = '', glob = false } = words[at] ?? {};
  if (glob) return 'a pattern that may stand for an option';
  const table = parseTable(model.options ?? '');
  if (text.startsWith('--') || model.style === 'whole') return named(reading, table);
  return cluster(reading, table);
}

/** `--name`, `--name=value`, `--name value`, and `-name` of programs without clusters. */
function named(reading: Reading, table: Table): Step {
  const { words, model, at } = reading;
  const { text = '' } = words[at] ?? {};
  const equals = model.style === 'separate' || !text.startsWith('--') ? -1 : text.indexOf('=');
  const name = equals < 0 ? text : text.slice(0, equals);
  const option = table.get(name);
  if (option === undefined) return `the option ${shown(name)}`;
  if (equals < 0) return option.value === 'needed' ? nextValue(reading, name, option) : 1;
  if (option.value === 'none') return `a value of the option ${name}`;
  return valued({ name, option, model, value: text.slice(equals + 1), isPattern: words[at]?.glob === true }) ?? 1;
}

function cluster(reading: Reading, table: Table): Step {
  const { words, model, at } = reading;
  const { text = '', glob = false } = words[at] ?? {};
  for (let letter = 1; letter < text.length; letter += 1) {
    const name = `-${text[letter]}`;
    const option = table.get(name);
    if (option === undefined) return `the option ${name}`;
    const value = text.slice(letter + 1);
    if (option.value === 'needed' && value === '') return nextValue(reading, name, option);
    if (option.value !== 'none' && value !== '') return valued({ name, option, model, value, isPattern: glob }) ?? 1;
  }
  return 1;
}

function nextValue({ words, model, at }: Reading, name: string, option: Option): Step {
  const word = words[at + 1];
  if (word === undefined) return 1;
  if (mayBecomeOption(word)) return 'a pattern that may stand for an option';
  if (isOption(word.text) && !dashed.has(option.kind)) return `the value of the option ${name}`;
  return valued({ name, option, model, value: word.text, isPattern: word.glob }) ?? 2;
}

interface Valued {
  readonly name: string;
  readonly option: Option;
  readonly model: Model;
  readonly value: string;
  readonly isPattern: boolean;
}

const valued = ({ name, option: { kind }, model, value, isPattern }: Valued): string | null =>
  testOf(kind, model.kinds ?? {})(value, isPattern) ? null : `the value of the option ${name}`;

/** A kind that is not known covers nothing. */
const testOf = (kind: string, own: NonNullable<Model['kinds']>): ((text: string, isPattern: boolean) => boolean) =>
  own[kind] ?? kinds[kind] ?? (() => false);

/** `tar xzf a.tar dir`: letters without a dash, whose values follow in their order. */
function bundled(words: readonly Word[], model: Model): string | null {
  const [first, ...rest] = words;
  if (first === undefined || isOption(first.text)) return readFrom({ words, model, at: 0 });
  const table = parseTable(model.options ?? '');
  let at = 0;
  for (const letter of first.text) {
    const name = `-${letter}`;
    const option = table.get(name);
    if (option === undefined) return `the option ${name}`;
    const word = option.value === 'needed' ? rest[at++] : undefined;
    if (word !== undefined && mayBecomeOption(word)) return 'a pattern that may stand for an option';
    if (word !== undefined && valued({ name, option, model, value: word.text, isPattern: word.glob }) !== null)
      return `the value of the option ${name}`;
  }
  return readFrom({ words: rest, model, at });
}

const maxShown = 40;

/** A name for a message: printable, and not long. */
const shown = (name: string): string => name.replace(/[^\x20-\x7e]/g, '?').slice(0, maxShown);
