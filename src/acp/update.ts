/** Updates of a session on their way to the editor: the editor does not know terminals of Caisson, so that their text is shown. */
import { type Message, objectIn } from '../lib/message-lines.ts';
import { bounded, codeBlock } from './shown.ts';

const maxUnits = 16_384;

/** Puts the text of Caisson's terminals into a message; a message without such a terminal stays as it is. */
export function withOutputs(message: Message, textOf: (terminalId: unknown) => string | null): Message {
  const params = objectIn(message['params']);
  const update = objectIn(params?.['update']);
  const content: unknown = update?.['content'];
  if (params === null || update === null || !Array.isArray(content)) return message;
  const shown = content.map((block: unknown) => shownBlock(block, textOf));
  if (shown.every((block, at) => block === content[at])) return message;
  return { ...message, params: { ...params, update: { ...update, content: shown } } };
}

function shownBlock(block: unknown, textOf: (terminalId: unknown) => string | null): unknown {
  const { type, terminalId } = objectIn(block) ?? {};
  const output = type === 'terminal' ? textOf(terminalId) : null;
  if (output === null) return block;
  const text = codeBlock(bounded(output, maxUnits));
  return { type: 'content', content: { type: 'text', text } };
}

/** A message of Caisson itself, in the words of the agent's turn. */
export function notice(sessionId: unknown, text: string): Message {
  const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `\n\n${text}\n\n` } };
  return { jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } };
}
