/**
 * Keys of what callers give. A key that is not known is an error before anything happens: `netwrok: 'none'` would otherwise
 * run with a network, and nothing would show it. The rows of `verbs/` name them.
 */
import { CaissonError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import type { AnyRows, InputShape } from './verbs/row.ts';

type Table = Readonly<Record<string, InputShape>>;

/** Throws `invalid_argument`, with the nearest key. Values are checked where they are used. */
export function checkKeys(input: unknown, known: Table): void {
  if (!isObject(input)) throw new CaissonError('invalid_argument', 'a request is an object');
  for (const [key, value] of Object.entries(input)) {
    if (!Object.hasOwn(known, key)) throw unknownKeyError(key, known, '');
    const inner = known[key];
    if (typeof inner !== 'object' || !isObject(value)) continue;
    const wrong = Object.keys(value).find((each) => !Object.hasOwn(inner, each));
    if (wrong !== undefined) throw unknownKeyError(wrong, inner, `${key}.`);
  }
}

/** A text would be taken apart into its characters. Throws `invalid_argument`. */
export function checkWords({ command }: { readonly command?: unknown }): void {
  if (Array.isArray(command) && command.every((word) => typeof word === 'string')) return;
  const what = typeof command === 'string' ? 'a text' : 'something else';
  throw new CaissonError('invalid_argument', `command is a list of a program and its arguments, not ${what}`, {
    remedy: "for a shell: command: ['sh', '-c', text]",
  });
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function unknownKeyError(key: string, known: Table, before: string): CaissonError {
  const near = nearest(key, Object.keys(known));
  const shown = JSON.stringify(before + key.slice(0, 64));
  return new CaissonError('invalid_argument', `a request has no key ${shown}`, {
    remedy: near === null ? `its keys are ${Object.keys(known).join(', ')}` : `did you mean ${before}${near}?`,
  });
}

/** A noun whose verbs check the keys of their input by its rows before anything else. */
export function withKeys<Api extends object>(api: Api, rows: AnyRows): Api {
  return new Proxy(api, {
    get(target, verb): unknown {
      const act: unknown = Reflect.get(target, verb, target);
      if (typeof act !== 'function') return act;
      const { keys, takes = [] } = rows[String(verb)] ?? {};
      if (keys === undefined) return act.bind(target);
      const place = takes.findIndex((name) => name.startsWith('...'));
      return async (...args: readonly unknown[]): Promise<unknown> => {
        if (args[place] !== undefined || takes[place] === '...') checkKeys(args[place], keys);
        return await Reflect.apply(act, target, args);
      };
    },
  });
}
