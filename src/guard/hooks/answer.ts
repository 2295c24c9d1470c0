/** What a hook's end means. Pure. */
import type { ProgramEnd } from '../../lib/run-program.ts';

export type Answer =
  | { readonly kind: 'pass' }
  | { readonly kind: 'block'; readonly message: string }
  | { readonly kind: 'modify'; readonly input: Readonly<Record<string, unknown>> }
  | { readonly kind: 'failed'; readonly reason: string };

const maxMessageUnits = 400;
/** The exit code that blocks whatever was written, with standard error as the message. */
const blockingCode = 2;

/**
 * Nothing, or `{"action": "allow"}`, lets it pass. `{"action": "block", "message"}` refuses; `{"decision": "block",
 * "reason"}` is the same. `{"action": "modify", "tool_input": {...}}` changes it.
 */
export function answerOf(end: ProgramEnd): Answer {
  if (end.kind === 'failed') return { kind: 'failed', reason: end.reason };
  if (end.exitCode === blockingCode) return block(end.stderr);
  if (end.exitCode !== 0) return { kind: 'failed', reason: `it exited with ${end.exitCode}` };
  const text = end.stdout.trim();
  return text === '' ? { kind: 'pass' } : answerIn(text);
}

function answerIn(text: string): Answer {
  const said = objectIn(text);
  if (said === null) return { kind: 'failed', reason: 'its answer is no JSON object' };
  const { action = said['decision'], message = said['reason'], tool_input: input = said['args'] } = said;
  if (action === 'block' || action === 'deny') return block(typeof message === 'string' ? message : '');
  if (action === undefined || action === 'allow' || action === 'approve' || action === 'continue')
    return { kind: 'pass' };
  if (action === 'modify' && isObject(input)) return { kind: 'modify', input };
  return { kind: 'failed', reason: `its answer has no action that is known: ${JSON.stringify(action).slice(0, 60)}` };
}

function block(message: string): Answer {
  const reason = message.trim().slice(0, maxMessageUnits);
  return { kind: 'block', message: reason === '' ? 'it gave no reason' : reason };
}

function objectIn(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null; // no JSON is an answer that fails
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
