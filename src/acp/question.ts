/** Questions as permission requests of the protocol. What strangers have written is in them as code that nothing can end. */
import { randomBytes } from 'node:crypto';
import type { Question as GuardQuestion } from '../guard/types.ts';
import type { Message } from '../lib/message-lines.ts';
import type { Question } from './editor.ts';
import { optionsFor } from './permission.ts';
import { findingText, placeOf } from '../service/api.ts';
import { bounded, codeBlock, codeTitle, hidesSomething, onOneLine, titleOf, visible } from './shown.ts';

const maxDiffUnits = 256 * 1024;

const textBlock = (text: string): Message => ({ type: 'content', content: { type: 'text', text } });
const toolCallId = (): string => `caisson-${randomBytes(9).toString('hex')}`;

/** A command, or a file tool, that rules or the dangerous list want asked about. */
export function commandQuestion(sessionId: string, question: GuardQuestion): Question {
  const { title, display, findings, warnings, choices, diff, input, covers, proposal } = question;
  const reasons = [...new Set(findings.map((finding) => titleOf(findingText(finding))))];
  const lines = [
    `${titleOf(title)}: ${reasons.join(', ') || 'it could not be judged'} (${placeOf(question).map(titleOf).join(', ')})`,
    ...warnings.map((warning) => `Note: ${titleOf(warning)}`),
    ...(choices.includes('session') ? [`For this session: ${covers.map(titleOf).join(', ')}`] : []),
    ...(proposal.length === 0 ? [] : [`Always saves: ${proposal.map(codeTitle).join(', ')}`]),
  ];
  const blocks = [
    codeBlock(display),
    lines.join('\n\n'),
    ...(input === null ? [] : [codeBlock(input)]),
    ...(diff === null ? [] : [codeBlock(diff)]),
  ];
  return {
    sessionId,
    toolCall: {
      toolCallId: toolCallId(),
      title: codeTitle(display),
      kind: diff === null ? 'execute' : 'edit',
      status: 'pending',
      content: blocks.map(textBlock),
    },
    options: optionsFor(choices),
  };
}

export interface Edit {
  readonly path: string;
  /** Text before the edit. `null`: the file does not exist yet. `undefined`: its text cannot be shown. */
  readonly before: string | null | undefined;
  readonly after: string;
  /** Whether the answer may hold for later edits of the session. */
  readonly mayHold: boolean;
}

/** An edit, with its diff. */
export function editQuestion(sessionId: string, { path, before, after, mayHold }: Edit): Question {
  const notes = [
    ...(before === undefined ? ['What is there now is no text, or too much of it: it is replaced as a whole.'] : []),
    ...([path, before ?? '', after].some(hidesSomething)
      ? ['It holds characters that are not seen; they are spelled out here.']
      : []),
    ...([before ?? '', after].some((text) => text.length > maxDiffUnits)
      ? ['It is long, and its middle is not shown.']
      : []),
  ];
  const side = (text: string): string => visible(bounded(text, maxDiffUnits));
  const diff = {
    type: 'diff',
    path: onOneLine(path),
    oldText: before === null || before === undefined ? null : side(before),
    newText: side(after),
  };
  return {
    sessionId,
    toolCall: {
      toolCallId: toolCallId(),
      title: `${before === null ? 'Create' : 'Edit'} ${codeTitle(path)}`,
      kind: 'edit',
      status: 'pending',
      locations: [{ path: onOneLine(path) }],
      content: [diff, ...notes.map(textBlock)],
    },
    options: optionsFor(mayHold ? ['once', 'session', 'deny'] : ['once', 'deny']),
  };
}

/** A permission request of the agent, without characters that are not seen. Whatever it says of itself, it is only shown. */
export function harmless(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return visible(value);
  if (depth > 32) return null;
  if (Array.isArray(value)) return value.map((each: unknown) => harmless(each, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]: [string, unknown]) => [key, harmless(each, depth + 1)]),
  );
}
