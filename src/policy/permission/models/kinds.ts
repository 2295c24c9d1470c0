/** Kinds of values that the models of several programs share. */
import type { Test } from './model.ts';

const like =
  (pattern: RegExp): Test =>
  (text) =>
    pattern.test(text);

/** Below the working directory, and not in what git runs from: hooks and its configuration. */
const below = /^(?![^]*(?:^|\/)(?:\.\.|\.git)(?:\/|$))[\w.+@][\w.+@,=%/ -]*$/i;

export const kinds: Readonly<Record<string, Test>> = {
  any: () => true,
  /** Any text, also one that looks like an option. */
  text: () => true,
  number: like(/^\d+$/),
  /** `-7`, `+10k`: more, less or exactly so much. */
  measure: like(/^[-+]?\d+(?:\.\d+)?[a-zA-Z%]?$/),
  /** `-u+x`, `/222`: bits of a mode, all or any of them. */
  mode: like(/^[-/+]?[\w+=,-]+$/),
  word: like(/^[\w.,:+/@^~={}%-]+$/),
  inside: (text, isPattern) => !isPattern && below.test(text),
};

/** Kinds whose value may begin with a dash as the next word. */
export const dashed: ReadonlySet<string> = new Set(['text', 'measure', 'mode']);
