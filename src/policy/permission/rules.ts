/** Permission rules: `tool`, `tool(words:*)`, `tool(exact words)`, `tool(path/glob/**)`, `mcp(server:tool)`, `command(glob)`. */
import { CaissonError } from '../../errors.ts';
import { resolveWord, wordsOfSimple } from '../../shell/words.ts';
import type { RuleTexts, Verdict } from '../types.ts';
import { piecesOf, type Piece } from './text-glob.ts';
import { commandTools, textTool } from './tools.ts';

export type Pattern =
  | { readonly kind: 'tool' }
  /** The command starts with these words. */
  | { readonly kind: 'prefix'; readonly words: readonly string[] }
  | { readonly kind: 'exact'; readonly words: readonly string[] }
  | { readonly kind: 'path'; readonly glob: string }
  /** `SERVER:TOOL` of a call to an MCP server, with `*` and `?`; `SERVER` alone is all of its tools. */
  | { readonly kind: 'name'; readonly glob: string }
  /** The text of a command; only to deny and to ask. */
  | { readonly kind: 'text'; readonly pieces: readonly Piece[] };

export interface Permission {
  readonly text: string;
  readonly verdict: Verdict;
  readonly tool: string;
  readonly pattern: Pattern;
}

const form = /^([A-Za-z][\w.-]*)(?:\(([^]*)\))?$/;
const maxRuleUnits = 4096;

/** Throws `invalid_argument` that quotes the rule. */
export function parsePermission(text: string, verdict: Verdict): Permission {
  const [, tool, inside] = (text.length <= maxRuleUnits ? form.exec(text.trim()) : null) ?? [];
  if (tool === undefined) throw ruleSyntaxError(text, 'is neither tool nor tool(pattern)');
  if (inside === undefined) return { text, verdict, tool, pattern: { kind: 'tool' } };
  if (inside.trim() === '') throw ruleSyntaxError(text, 'has nothing between the brackets');
  if (tool === textTool) return textRule(text, inside, verdict);
  if (commandTools.has(tool)) return { text, verdict, tool, pattern: commandPattern(text, inside, verdict) };
  const glob = inside.trim();
  return { text, verdict, tool, pattern: tool === 'mcp' ? namePattern(glob) : { kind: 'path', glob } };
}

/** A text says too little of what runs to allow it. */
function textRule(text: string, glob: string, verdict: Verdict): Permission {
  if (verdict === 'allow') throw ruleSyntaxError(text, 'is about a text, which can deny and ask, and not allow');
  return { text, verdict, tool: 'terminal', pattern: { kind: 'text', pieces: piecesOf(glob) } };
}

const namePattern = (glob: string): Pattern => ({ kind: 'name', glob: glob.includes(':') ? glob : `${glob}:*` });

function commandPattern(text: string, inside: string, verdict: Verdict): Pattern {
  const prefix = /:\*$|(?<=\s)\*$/.test(inside);
  const body = inside.replace(/(?::\*|\s\*)$/, '');
  const raws = wordsOfSimple(body);
  if (raws === null) throw ruleSyntaxError(text, 'is more than one simple command');
  const words = raws.flatMap((raw) => resolveWord(raw, { start: 0, end: 0 }, { vars: new Map(), cwd: null }));
  if (words.some(({ literal }) => !literal)) throw ruleSyntaxError(text, 'holds an expansion; write the words out');
  // Words are compared, not matched: such a rule would forbid nothing, where somebody relies on it.
  if (verdict !== 'allow' && words.some(({ glob }) => glob))
    throw ruleSyntaxError(
      text,
      'has a * or ? among its words, which only stand for themselves; end it with :* for a beginning',
    );
  return { kind: prefix ? 'prefix' : 'exact', words: words.map((word) => word.text) };
}

function ruleSyntaxError(text: string, why: string): CaissonError {
  return new CaissonError('invalid_argument', `the permission rule ${JSON.stringify(text.slice(0, 200))} ${why}`, {
    remedy: 'write terminal(git:*), terminal(npm test), write_file(src/**) or read_file',
  });
}

/** Deny first: the order in which they are reported. */
export function parsePermissions(texts: RuleTexts, placeOf?: Source['placeOf']): readonly Permission[] {
  return (['deny', 'ask', 'allow'] as const).flatMap((verdict) =>
    (texts[verdict] ?? []).map((text, index) =>
      parsedAt(placeOf?.(verdict, index), () => parsePermission(text, verdict)),
    ),
  );
}

/** Puts the place of a rule in front of the message of an error in it. */
function parsedAt(place: string | undefined, parse: () => Permission): Permission {
  try {
    return parse();
  } catch (error) {
    if (place === undefined || !(error instanceof CaissonError)) throw error;
    const remedy = error.remedy ?? 'correct the rule';
    throw new CaissonError(error.code, `${place}: ${error.message}`, { remedy });
  }
}

export interface Source {
  /** `operator`, `task build`, `project`, `command line`: part of the finding. */
  readonly name: string;
  readonly rules: RuleTexts;
  /** File, key and index of a rule, for people. */
  readonly placeOf?: (list: Verdict, index: number) => string;
  /** A source that travels with the code may add `deny` and `ask`, and never `allow`. */
  readonly mayOnlyTighten: boolean;
}

export interface Composed {
  readonly permissions: readonly Permission[];
  /** Rules without effect, for people: where each stands. */
  readonly ignored: readonly { readonly source: string; readonly rule: string }[];
}

/** Rules of all sources together: since the strictest wins, a later source cannot loosen what an earlier one forbids. */
export function composePermissions(sources: readonly Source[]): Composed {
  return {
    permissions: sources.flatMap(({ rules, placeOf, mayOnlyTighten }) => {
      const all = parsePermissions(rules, placeOf);
      return mayOnlyTighten ? all.filter(({ verdict }) => verdict !== 'allow') : all;
    }),
    ignored: sources.flatMap(({ name, rules, placeOf, mayOnlyTighten }) =>
      mayOnlyTighten
        ? (rules.allow ?? []).map((rule, index) => ({ source: placeOf?.('allow', index) ?? name, rule }))
        : [],
    ),
  };
}
