/** One connection of an editor, from the first message to the last: makes the parts, passes messages, and leaves nothing behind. */
import type { Readable, Writable } from 'node:stream';
import { toCaissonError } from '../errors.ts';
import { linesOf, type Message, messageIn, MessageWriter } from '../lib/message-lines.ts';
import type { Agent } from './agent.ts';
import { Answers } from './answers.ts';
import type { Asking } from './asked.ts';
import { Bridge } from './bridge.ts';
import { Editor } from './editor.ts';
import { Files } from './files.ts';
import { syncProject } from './project.ts';
import { Terminals } from './terminals.ts';
import type { AcpSettings, Workplace } from './types.ts';

export interface Connection {
  readonly place: Workplace;
  readonly agent: Agent;
  readonly asking: Asking;
  readonly settings: AcpSettings;
  /** The project is not bound: its files travel at both ends of each turn. */
  readonly synced: boolean;
  readonly editor: { readonly input: Readable; readonly output: Writable };
  readonly signal: AbortSignal;
  /** For people who read the log of the editor. */
  readonly say: (text: string) => void;
}

/** Until the editor or the agent has gone. Resolves to the exit code of an agent that has ended by itself; `null`: it was ended. */
export async function serve(connection: Connection): Promise<number | null> {
  const { place, agent, asking, settings, signal, say } = connection;
  const toEditor = new MessageWriter(connection.editor.output);
  const toAgent = new MessageWriter(agent.input);
  const editor = new Editor(toEditor, settings.timeoutMs);
  const terminals = new Terminals(place);
  const answers = new Answers({ agent: toAgent, asking, files: new Files(place, editor, settings), terminals });
  asking.editor = editor;
  const sync = connection.synced ? syncing(place, signal, say) : null;
  const textOf = (id: unknown): string | null => terminals.textOf(id);
  const bridge = new Bridge({ toEditor, toAgent, editor, answers, project: place.project, textOf, sync });
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  try {
    const editorGone = pump(connection.editor.input, (message) => bridge.fromEditor(message), say);
    const agentGone = pump(agent.output, (message) => bridge.fromAgent(message), say);
    const first = await Promise.race([editorGone, stopped, agentGone.then(() => 'agent' as const)]);
    if (first !== 'agent') return null;
    await agent.stop();
    return await agent.exitCode;
  } finally {
    editor.close();
    answers.close();
    connection.editor.input.destroy();
    await Promise.allSettled([terminals.close(), agent.stop()]);
  }
}

function syncing(place: Workplace, signal: AbortSignal, say: Connection['say']) {
  return async (direction: 'in' | 'out'): Promise<string | null> => {
    try {
      return await syncProject(place, direction, signal);
    } catch (error) {
      const { message } = toCaissonError(error);
      say(`the project was not synced: ${message}`);
      return `Caisson could not sync the project: ${message}`;
    }
  };
}

/** Passes one message after the other. Ends with its source, and never rejects: what fails is said. */
async function pump(
  source: Readable,
  pass: (message: Message) => Promise<void>,
  say: Connection['say'],
): Promise<void> {
  try {
    for await (const line of linesOf(source)) {
      const message = messageIn(line);
      if (message !== null) await pass(message);
      else if (line.trim() !== '') say('a line that is no message was left out');
    }
  } catch (error) {
    if (!source.destroyed || source.errored !== null) say(toCaissonError(error).message);
  }
}
