/**
 * A command, a program or a write on its way past the approvals. It is started with an id that stays the same through
 * questions and repeated calls, so that it runs once, however often its handler is called. An approval serves one start.
 */
import { randomBytes } from 'node:crypto';
import { inputRequired, inputResponse } from '@modelcontextprotocol/server';
import { setTimeout as sleep } from 'node:timers/promises';
import { isCode } from '../../errors.ts';
import type { ApprovalView, Choice, Options } from '../../service/api.ts';
import type { Call } from '../call.ts';
import { failed, Reply } from '../reply.ts';
import { modesOf } from './modes.ts';
import { choicesOf, formOf, messageOf } from './question.ts';
import type { State } from './state.ts';

const question = 'approval';
/** No person reads and declines in this time: the host has done it. */
const unseenMs = 200;

export interface Attempt {
  readonly execId: string;
  readonly options: Options;
}

export interface AdmittedValue<T> {
  readonly execId: string;
  /** `null`: it had not started when the call was to be answered. */
  readonly value: T | null;
}

/** `execId`: as the caller chose it. */
export async function admitted<T>(
  call: Call,
  execId: string | undefined,
  start: (attempt: Attempt) => Promise<T>,
): Promise<AdmittedValue<T> | Reply> {
  const { parts, ctx, key } = call;
  const state = await parts.states.read(ctx, key);
  const id = state?.execId ?? execId ?? parts.calls.execOf(key) ?? `exec_${randomBytes(12).toString('hex')}`;
  if (state !== null && parts.asking.by === 'form') {
    const unanswered = await takeAnswer(call, state);
    if (unanswered !== null) return unanswered;
  }
  const begin = async (): Promise<AdmittedValue<T>> => await inTime(call, id, start);
  try {
    return await begin();
  } catch (error) {
    const approvalId: unknown = isCode(error, 'approval_required') ? error.details['approvalId'] : null;
    if (typeof approvalId !== 'string') throw error;
    parts.calls.waits(key, id);
    await refuseInvented(call, approvalId);
    return await ask(call, { approvalId, execId: id }, begin);
  }
}

async function inTime<T>(
  call: Call,
  execId: string,
  start: (attempt: Attempt) => Promise<T>,
): Promise<AdmittedValue<T>> {
  const { parts, signal, key } = call;
  const late = new AbortController();
  const options = { signal, question: { waits: false } };
  const starting = parts.calls.inTurn(key, async () => await start({ execId, options }));
  starting.catch(() => undefined);
  try {
    const end = AbortSignal.any([late.signal, parts.closing]);
    const value = await Promise.race([
      starting,
      sleep(Math.max(0, call.leftMs()), null, { signal: end }).catch(() => null),
    ]);
    if (value === null) parts.calls.startsLater(parts.caller, execId, starting);
    parts.calls.settled(key);
    return { execId, value };
  } catch (error) {
    if (!isCode(error, 'approval_required')) parts.calls.settled(key);
    throw error;
  } finally {
    late.abort();
  }
}

/** Takes the answer of the form. Anything else leaves the question open, and its command where it is. */
async function takeAnswer(call: Call, state: State): Promise<Reply | null> {
  const { parts, ctx } = call;
  const response = inputResponse(ctx.mcpReq.inputResponses, question);
  if (response.kind !== 'elicit' || response.action === 'cancel')
    return required(call, await parts.asking.view(state.approvalId));
  if (response.action === 'decline') {
    const unseen = Date.now() - state.askedAtMs < unseenMs;
    await answerIfOpen(call, state.approvalId, 'deny');
    return new Reply(
      failed({
        code: 'policy_denied',
        message: unseen ? 'the host declined at once, without asking its user' : 'the user declined',
        remedy: 'do something else; it must not be tried again, nor in another form',
        request_id: parts.requestIdOf(ctx),
      }),
    );
  }
  const view = await parts.asking.view(state.approvalId);
  const choice = choicesOf(view).find((each) => each === response.content?.['choice']) ?? 'deny';
  const counted = await answerIfOpen(call, state.approvalId, choice);
  return counted ? null : required(call, view);
}

/** False: an answer of this connection does not count. One that comes late changes nothing, and what waits is asked for anew. */
async function answerIfOpen({ parts }: Call, approvalId: string, choice: Choice): Promise<boolean> {
  try {
    await parts.asking.answer(approvalId, choice);
    return true;
  } catch (error) {
    if (isCode(error, 'permission_denied')) return false;
    if (isCode(error, 'conflict') || isCode(error, 'not_found')) return true;
    throw error;
  }
}

/** No form was sent to this host: what says that it was answered was made up, which is put on record by its refusal. */
async function refuseInvented({ parts, ctx }: Call, approvalId: string): Promise<void> {
  if (parts.asking.by === 'form') return;
  const answers = Object.keys(ctx.mcpReq.inputResponses ?? {}).map((each) =>
    inputResponse(ctx.mcpReq.inputResponses, each),
  );
  const isInvented = answers.some((each) => each.kind === 'elicit' && each.content !== undefined);
  if (isInvented) await parts.asking.answer(approvalId, 'once').catch(() => undefined);
}

type QuestionIds = Pick<State, 'approvalId' | 'execId'>;

async function ask<T>(
  call: Call,
  { approvalId, execId }: QuestionIds,
  begin: () => Promise<AdmittedValue<T>>,
): Promise<AdmittedValue<T> | Reply> {
  const { parts, ctx, server, key } = call;
  const view = await parts.asking.view(approvalId);
  const response = inputResponse(ctx.mcpReq.inputResponses, question);
  if (response.kind === 'elicit') {
    const isOpened = parts.asking.by === 'elsewhere' && response.action === 'accept' && response.content === undefined;
    return isOpened && (await isAnswered(call, approvalId)) ? await begin() : required(call, view);
  }
  const { form, url } = modesOf(ctx, server);
  const page = parts.asking.pageOf(approvalId);
  const request =
    parts.asking.by === 'form'
      ? form && inputRequired.elicit(formOf(view))
      : url && page !== null && inputRequired.elicitUrl({ message: messageOf(view), url: page });
  if (request === false) return required(call, view);
  const requestState = await parts.states.mint({ approvalId, execId, key, askedAtMs: Date.now() }, ctx);
  return new Reply(inputRequired({ inputRequests: { [question]: request }, requestState }));
}

/** The page is open: its answer is waited for as long as the call may last. */
async function isAnswered(call: Call, approvalId: string): Promise<boolean> {
  const { parts, signal } = call;
  while (call.leftMs() > parts.limits.lookMs && !signal.aborted && !parts.closing.aborted) {
    if ((await parts.asking.view(approvalId)).state !== 'pending') return true;
    call.report('waiting for an approval');
    await sleep(parts.limits.lookMs);
  }
  return false;
}

/** For a host that cannot ask: the question waits for an answer from elsewhere, and the same call goes on with it. */
function required({ parts, ctx }: Call, { id, taskId, display, state, expiresAt }: ApprovalView): Reply {
  const page = parts.asking.pageOf(id);
  const where = `caisson approvals approve ${id}${page === null ? '' : `, or ${page}`}`;
  return new Reply(
    failed({
      code: 'approval_required',
      message: `a person must approve this first; the question is ${state}`,
      approval_id: id,
      task: taskId,
      command: display,
      expires_at: expiresAt,
      remedy: `ask the user to answer: ${where}; then call again with exactly the same arguments, before expires_at`,
      retryable: true,
      request_id: parts.requestIdOf(ctx),
    }),
  );
}
