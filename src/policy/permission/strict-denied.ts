/** What the preset `strict` refuses beyond its rules. */
import type { Analysis, Simple } from '../../shell/types.ts';
import type { Hit } from '../tiers/lists.ts';
import type { Finding } from '../types.ts';

/** Dangerous rules that are no question in strict: pipe to shell, encoded shell, downloads that run. */
const refused = /^(?:D16s?|D17|D25[defk])$/;
const reader =
  /^(?:cat|type|get-content|gc|head|tail|less|more|bat|nl|tac|strings|xxd|od|base64|cp|scp|grep|rg|sed|awk)$/;

export function strictDenied(analysis: Analysis, dangerous: readonly Hit[]): readonly Finding[] {
  const known = dangerous
    .filter(({ rule }) => refused.test(rule.id))
    .map(({ rule, command }) => finding(rule.description, command));
  return [...known, ...analysis.commands.flatMap((command) => dumps(command))];
}

function dumps(command: Simple): readonly Finding[] {
  const { program, words, assignments, wraps } = command;
  const args = words.slice(1);
  if (program === 'env' && !wraps && args.every(({ text }) => text.startsWith('-')))
    return [finding('environment dump', command)];
  if (
    assignments.length === 0 &&
    (program === 'set' || program === 'export' || program === 'declare') &&
    args.every(({ text }) => /^-[px]$/.test(text))
  )
    return [finding('environment dump', command)];
  if (reader.test(program ?? '') && args.some(({ text }) => /(?:^|\/)\.env[^/]*$/.test(text)))
    return [finding('read of an env file', command)];
  const shows =
    (program === 'echo' || program === 'printf') &&
    args.some(({ raw }) => /\$\{?[A-Za-z_]*(?:KEY|TOKEN|SECRET|PASSW|CREDENTIAL|DATABASE_URL|OPENROUTER_)/i.test(raw));
  return shows ? [finding('secret shown', command)] : [];
}

function finding(description: string, { start, end }: Simple): Finding {
  return { rule: 'strict', description, start, end };
}
