/**
 * The `.env` file: lines of `KEY=VALUE`. Comments start with `#`, at the start of a line or after a space; a value in
 * single quotes is taken as it is, one in double quotes knows \n, \t, \" and \\. No line continues on the next.
 */
import { CaissonError } from '../errors.ts';
import { variableName } from '../values/env.ts';

export interface Assigned {
  readonly value: string;
  /** From 1. */
  readonly line: number;
}

/** Throws `invalid_argument` with file and line; values are never part of it. */
export function parseDotenv(text: string, file: string): ReadonlyMap<string, Assigned> {
  const assigned = new Map<string, Assigned>();
  for (const [index, source] of text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .entries()) {
    const line = source.trim();
    if (line === '' || line.startsWith('#')) continue;
    const where = { file, line: index + 1 };
    const { name, value } = parseLine(line, where);
    const before = assigned.get(name);
    if (before !== undefined) throw dotenvError(where, `${name} was already set on line ${before.line}`);
    assigned.set(name, { value, line: where.line });
  }
  return assigned;
}

interface Where {
  readonly file: string;
  readonly line: number;
}

function parseLine(line: string, where: Where): { readonly name: string; readonly value: string } {
  const equals = line.indexOf('=');
  if (equals === -1) throw dotenvError(where, 'expected KEY=VALUE');
  const name = line
    .slice(0, equals)
    .replace(/^export\s+/, '')
    .trimEnd();
  if (!variableName.test(name))
    throw dotenvError(where, 'the name before "=" must be letters, digits and underscores, and not start with a digit');
  const value = parseValue(line.slice(equals + 1).trim(), where);
  if (value.includes('\0')) throw dotenvError(where, `the value of ${name} holds a NUL byte`);
  return { name, value };
}

function parseValue(source: string, where: Where): string {
  const quote = source.charAt(0);
  if (quote !== '"' && quote !== "'") return source.replace(/(^|\s+)#.*$/, '');
  const body = quote === '"' ? /^"((?:[^"\\]|\\.)*)"\s*(#.*)?$/ : /^'([^']*)'\s*(#.*)?$/;
  const inner = body.exec(source)?.[1];
  if (inner === undefined) throw dotenvError(where, `the ${quote} is not closed, or something follows it`);
  return quote === '"' ? inner.replace(/\\(.)/g, (whole, letter: string) => escapes[letter] ?? whole) : inner;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', '"': '"', '\\': '\\' };

function dotenvError({ file, line }: Where, problem: string): CaissonError {
  return new CaissonError('invalid_argument', `${file}:${line}: ${problem}`, { details: { file, line } });
}
