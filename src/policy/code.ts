/** Verdicts on programs: text in a language, run from a file of its own. */
import { pythonFindings } from './permission/strict.ts';
import type { Permission } from './permission/rules.ts';
import type { Settings } from './settings.ts';
import type { Decision, Finding } from './types.ts';

export interface Program {
  readonly language: 'python' | 'node' | 'bash';
  readonly text: string;
}

/** The command that does the same: what is known to be dangerous about it is so of the program as well. */
export function commandOf(language: Program['language'], text: string): string | readonly [string, ...string[]] {
  if (language === 'bash') return text;
  return language === 'python' ? ['python3', '-c', text] : ['node', '-e', text];
}

/** What rules say about running programs at all, and the preset `strict` about what is in them. */
export function decideProgram({ language, text }: Program, { permissions, profile }: Settings): Decision {
  const blocked = profile === 'strict' && language === 'python' ? pythonFindings(text) : [];
  if (blocked.length > 0)
    return { verdict: 'deny', tier: 'rule', findings: blocked.map((found) => ({ rule: 'strict', ...found })) };
  for (const verdict of ['deny', 'ask'] as const) {
    const findings = permissions
      .filter((each) => each.verdict === verdict && isAbout(each, language))
      .map(({ text: rule }): Finding => ({ rule, description: descriptions[verdict], start: 0, end: text.length }));
    if (findings.length > 0) return { verdict, tier: 'rule', findings };
  }
  return { verdict: 'allow', tier: 'none', findings: [] };
}

const descriptions = { deny: 'denied by a rule', ask: 'a rule wants it asked for' } as const;

/** `execute_code`, `execute_code(python:*)`; `python_rpc` is another name for the former in Python. */
function isAbout({ tool, pattern }: Permission, language: Program['language']): boolean {
  if (tool === 'python_rpc') return language === 'python' && pattern.kind === 'tool';
  if (tool !== 'execute_code') return false;
  return pattern.kind === 'tool' || (pattern.kind === 'prefix' && pattern.words[0] === language);
}
