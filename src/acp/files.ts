/** `fs/*` of the agent, answered from the sandbox. A write shows its diff first. */
import { isUtf8 } from 'node:buffer';
import { CaissonError, isCode } from '../errors.ts';
import type { FileTools } from '../service/api.ts';
import type { Message } from '../lib/message-lines.ts';
import type { AskedSession } from './asked.ts';
import type { Editor } from './editor.ts';
import { grants, isAsked, mayHold, type EditPermission } from './edits.ts';
import { choiceOf } from './permission.ts';
import { argumentError } from './problem.ts';
import { inProject, realInProject } from './project.ts';
import { editQuestion } from './question.ts';
import type { AcpSettings, Workplace } from './types.ts';

/** Most bytes that are read of a file, or written to it, at once. */
const maxBytes = 4 * 1024 * 1024;

type Content = Awaited<ReturnType<FileTools['read']>>;

export class Files {
  readonly #place: Workplace;
  readonly #editor: Editor;
  readonly #settings: AcpSettings;
  /** Sessions whose edits the user has allowed. */
  readonly #granted = new Set<string>();

  constructor(place: Workplace, editor: Editor, settings: AcpSettings) {
    this.#place = place;
    this.#editor = editor;
    this.#settings = settings;
  }

  async read({ path, line, limit }: Message, signal: AbortSignal): Promise<Message> {
    const real = await this.#realOf(path, signal);
    const { bytes, size } = await this.#contentOf(real, signal);
    if (bytes.length < size)
      throw argumentError(`it has ${size} bytes, and ${maxBytes} are the most that is read at once`);
    if (!isUtf8(bytes)) throw argumentError('the file is not a text in UTF-8');
    return { content: lines(bytes.toString(), countOf(line, 'line'), countOf(limit, 'limit')) };
  }

  async write({ path, content }: Message, asked: AskedSession, signal: AbortSignal): Promise<Message> {
    if (typeof content !== 'string' || Buffer.byteLength(content) > maxBytes)
      throw argumentError(`content must be a text of at most ${maxBytes} bytes`);
    const real = await this.#realOf(path, signal);
    const before = await this.#contentOf(real, signal).catch((error: unknown) => {
      if (isCode(error, 'not_found')) return null;
      throw error;
    });
    await this.#admit({ real, before, after: content }, asked, signal);
    const { api, taskId: task } = this.#place;
    // What was shown is what is replaced: a file that has changed meanwhile is a conflict.
    const expected = before === null ? { expected: null } : before.sha256 === null ? {} : { expected: before.sha256 };
    await api.files.write({ task, path: real, bytes: content, ...expected }, { signal });
    return {};
  }

  async #admit(
    { real, before, after }: { readonly real: string; readonly before: Content | null; readonly after: string },
    asked: AskedSession,
    signal: AbortSignal,
  ): Promise<void> {
    const below = real.slice(this.#place.project.length);
    const standing: EditPermission = { mode: this.#settings.edits, granted: this.#granted.has(asked.sessionId) };
    if (!isAsked(below, standing)) return;
    const edit = { path: real, before: textOf(before), after, mayHold: mayHold(below, standing) };
    const question = editQuestion(asked.sessionId, edit);
    const answer = await this.#editor.ask(question, signal);
    const choice = choiceOf(answer, edit.mayHold ? ['once', 'session', 'deny'] : ['once', 'deny']);
    if (choice === 'deny') throw fileRequestError(answer.kind);
    if (edit.mayHold && grants(choice, standing.mode)) this.#granted.add(asked.sessionId);
    asked.approvedEdit = true;
  }

  async #realOf(path: unknown, signal: AbortSignal): Promise<string> {
    return await realInProject(this.#place, inProject(this.#place.project, path), signal);
  }

  async #contentOf(path: string, signal: AbortSignal): Promise<Content> {
    const { api, taskId: task } = this.#place;
    return await api.files.read({ task, path, length: maxBytes }, { signal });
  }
}

const reasons = {
  selected: ['policy_denied', 'the user refused this edit'],
  cancelled: ['canceled', 'the question about this edit was cancelled'],
  silent: ['approval_required', 'no answer came in time about this edit'],
  unable: ['approval_required', 'this edit is asked for, and the editor cannot ask'],
} as const;

function fileRequestError(kind: keyof typeof reasons): CaissonError {
  const [code, message] = reasons[kind];
  return new CaissonError(code, message);
}

function textOf(content: Content | null): string | null | undefined {
  if (content === null) return null;
  return content.bytes.length < content.size || !isUtf8(content.bytes) ? undefined : content.bytes.toString();
}

function countOf(value: unknown, name: string): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0) return value;
  throw argumentError(`${name} must be a whole number from 0 on`);
}

/** Lines count from 1. */
function lines(text: string, line: number | null, limit: number | null): string {
  if (line === null && limit === null) return text;
  const from = Math.max(0, (line ?? 1) - 1);
  const all = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return all.slice(from, limit === null ? undefined : from + limit).join('');
}
