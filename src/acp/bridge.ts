/**
 * Stands between an editor and an agent: their messages pass in order, one after the other in each direction, and those that must happen
 * in the sandbox are answered here. Ids need no mapping, since each direction keeps its own.
 */
import { type Message, type MessageWriter, objectIn } from '../lib/message-lines.ts';
import { type Answers, isAnsweredHere } from './answers.ts';
import type { Editor } from './editor.ts';
import { offeredIn, outcomeFor } from './permission.ts';
import { CaissonError } from '../errors.ts';
import { errorAnswer, argumentError } from './problem.ts';
import { inProject } from './project.ts';
import { harmless } from './question.ts';
import { isMethod, Requests } from './requests.ts';
import { notice, withOutputs } from './update.ts';

export interface BridgeInput {
  readonly toEditor: MessageWriter;
  readonly toAgent: MessageWriter;
  readonly editor: Editor;
  readonly answers: Answers;
  readonly project: string;
  /** Text of a terminal of Caisson. */
  readonly textOf: (terminalId: unknown) => string | null;
  /** Brings the files of the project to the sandbox or back; what it answers is for the user. */
  readonly sync: ((direction: 'in' | 'out') => Promise<string | null>) | null;
}

/** Requests that name a directory in which the agent shall work. */
const opensSession = /^session\/(?:new|load|resume|fork)$/;

export class Bridge {
  readonly #parts: BridgeInput;
  readonly #requests = new Requests();

  constructor(parts: BridgeInput) {
    this.#parts = parts;
  }

  /** Resolves when the agent takes the next one. */
  async fromEditor(message: Message): Promise<void> {
    const { editor, toAgent } = this.#parts;
    const { method } = message;
    const params = objectIn(message['params']);
    if (typeof method !== 'string') {
      if (!editor.take(message) && !editor.isOwn(message['id'])) await toAgent.write(message);
      return;
    }
    if (method === 'session/cancel') editor.cancel(params?.['sessionId']);
    if (opensSession.test(method) && !(await this.#isInside(message, params))) return;
    this.#requests.begun(message);
    if (method === 'session/prompt') await this.#sync('in', params?.['sessionId']);
    await toAgent.write(method === 'initialize' ? withAbilities(message, params) : message);
  }

  /** Resolves when the editor takes the next one. */
  async fromAgent(message: Message): Promise<void> {
    const { answers, toEditor, textOf } = this.#parts;
    const { method } = message;
    if (typeof method !== 'string') return await this.#responded(message);
    const refusal = this.#refusalError(method, objectIn(message['params']));
    if (refusal !== null) return await this.#refuse(message, refusal);
    if (isAnsweredHere(method)) return await answers.take(message);
    if (method === 'session/request_permission') return await this.#permission(message);
    if (method === '$/cancel_request') answers.cancel(objectIn(message['params'])?.['requestId']);
    await toEditor.write(method === 'session/update' ? withOutputs(message, textOf) : message);
  }

  #refusalError(method: string, params: Message | null): CaissonError | null {
    if (!isMethod(method)) return new CaissonError('not_supported', 'there is no such method');
    return !isAnsweredHere(method) || this.#requests.knows(params?.['sessionId'])
      ? null
      : argumentError('sessionId must be that of a session of the editor');
  }

  /** A notification has no answer. */
  async #refuse({ id }: Message, refusal: CaissonError): Promise<void> {
    if (id !== undefined) await this.#parts.toAgent.write(errorAnswer(id, refusal));
  }

  /** What answers nothing that waits ends here: an editor may take it for the answer to a request of its own that comes later. */
  async #responded(message: Message): Promise<void> {
    const request = this.#requests.answered(message);
    if (request === null) return;
    if (request['method'] === 'session/prompt') await this.#sync('out', objectIn(request['params'])?.['sessionId']);
    await this.#parts.toEditor.write(message);
  }

  async #sync(direction: 'in' | 'out', sessionId: unknown): Promise<void> {
    const said = (await this.#parts.sync?.(direction)) ?? null;
    if (said !== null) await this.#parts.toEditor.write(notice(sessionId, said));
  }

  /** A session outside of the project would have none of its files in the sandbox. */
  async #isInside({ id }: Message, params: Message | null): Promise<boolean> {
    const given: unknown = params?.['additionalDirectories'];
    const more: readonly unknown[] = Array.isArray(given) ? given : [];
    try {
      for (const path of [params?.['cwd'], ...more]) inProject(this.#parts.project, path);
      return true;
    } catch (error) {
      await this.#parts.toEditor.write(errorAnswer(id, error));
      return false;
    }
  }

  /** Asks the user, whatever rules say: the words of an agent about its own call are not a reason to allow it. */
  async #permission(message: Message): Promise<void> {
    const { editor, toEditor, toAgent } = this.#parts;
    const { id, params } = message;
    if (id === undefined) return;
    const offered = offeredIn(params);
    const answer = (outcome: Message): Promise<void> => toAgent.write({ jsonrpc: '2.0', id, result: { outcome } });
    if (!editor.takes(id)) return await answer(outcomeFor({ kind: 'unable' }, offered));
    const { sessionId } = objectIn(params) ?? {};
    void editor.awaited(id, String(sessionId)).then((given) => answer(outcomeFor(given, offered)));
    await toEditor.write({ ...message, params: harmless(params) });
  }
}

/** Whatever the editor can do itself: files and terminals of the agent are those of the sandbox. Version 2 has neither. */
function withAbilities(message: Message, params: Message | null): Message {
  const { clientCapabilities, protocolVersion } = params ?? {};
  const version = typeof protocolVersion === 'number' ? { protocolVersion: Math.min(protocolVersion, 1) } : {};
  const fs = { readTextFile: true, writeTextFile: true };
  const abilities = { ...objectIn(clientCapabilities), fs, terminal: true };
  return { ...message, params: { ...params, ...version, clientCapabilities: abilities } };
}
