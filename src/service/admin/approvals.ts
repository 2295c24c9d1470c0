/** Questions about commands as front ends see and answer them. */
import { shortened } from '../../audit/acts.ts';
import type { Audit } from '../../audit/types.ts';
import { CaissonError, type Code, isCode, toCaissonError } from '../../errors.ts';
import type { AnswerAll, AnsweredAll, ApprovalView, ApprovalsApi, Choice, GrantView } from '../api.ts';
import { ownAnswerError } from '../../guard/approval-queue.ts';
import { isInside } from '../../guard/inside.ts';
import { networkAsked } from '../../egress/question.ts';
import type { Guard } from '../../guard/open.ts';
import { callerEntry } from '../../guard/record.ts';
import type { Asked } from '../../guard/types.ts';
import { findingText } from '../../policy/approval/finding-text.ts';
import { suggestedRules } from '../../guard/suggest.ts';
import { created, everyRow } from '../../store/pages.ts';
import type { ApprovalRow, GrantRow, Store } from '../../store/store.ts';
import { type Caller, operator } from '../../values/caller.ts';
import { ownerOf } from '../../values/owner.ts';
import type { Permit } from '../network/permit.ts';

type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

interface ApprovalContext {
  /** Environment of this process, which may be one that Caisson itself started. */
  readonly env: EnvironmentVariables;
  readonly audit: Pick<Audit, 'record' | 'recordSoon'>;
  readonly store: Pick<Store, 'approvals' | 'savedRules'>;
  readonly permit: Permit;
}

export function approvalsOf(
  { queue, grants, approvals }: Guard,
  { env, audit, store, permit }: ApprovalContext,
): ApprovalsApi {
  const answer: ApprovalsApi['answer'] = async (id, choice, by, { caller } = {}) => {
    try {
      checkNetworkAnswer(await queue.get(id, caller), choice, caller);
      const row = await queue.answer(id, choice, { name: by, env, caller });
      const { taskId } = row;
      const asked = networkAsked(row);
      if (asked !== null && choice !== 'deny') await permit({ ...asked, taskId }, choice);
      const verdict = choice === 'deny' ? 'deny' : 'allow';
      const given = {
        approval: id,
        verdict,
        kind: 'approval',
        answered: choice,
        by: by.slice(0, 200),
        ...aboutOf(row),
      };
      // No process waits for an answer about the network, and records it.
      if (caller !== undefined || asked !== null)
        audit.recordSoon({ type: 'decision', taskId, execId: null, ...given, ...callerEntry(caller) });
    } catch (error) {
      if (caller !== undefined && isCode(error, 'permission_denied'))
        audit.recordSoon({ ...refusedEntry, approval: id.slice(0, 64), by: by.slice(0, 200), message: error.message });
      throw error;
    }
  };
  return {
    answer,
    list: async ({ caller } = {}) => (await queue.list(caller)).map((row) => viewOf(row, caller)),
    get: async (id, { caller } = {}) => viewOf(await queue.get(id, caller), caller),
    answerAll: async ({ taskId, choice }: AnswerAll, by, options = {}) => {
      if (isInside(env)) throw ownAnswerError('a question');
      checkForAll(choice);
      const waiting = (await queue.list(options.caller)).filter((each) => each.taskId === taskId);
      return await answerEach(waiting, (id) => answer(id, choice, by, options));
    },
    grants: async () => (await grants.list()).map(grantViewOf),
    revoke: async (id, by, { caller } = {}) => {
      const grant = await grants.revoke(id);
      if (grant === null) throw noGrantError(id);
      const { taskId, covers } = grant;
      const revoked = { revoked: id, covers, by: by.slice(0, 200), ...callerEntry(caller) };
      await audit.record({ type: 'decision', taskId, execId: null, ...revoked });
    },
    suggest: async () => await suggestions(store),
    skip: async (taskId, on, { caller } = {}) => approvals.skip(taskId, on, caller),
  };
}

/** The command of the question, as it was shown to who answered. */
function aboutOf({ question }: ApprovalRow): { readonly command?: readonly string[] } {
  const { display } = question;
  return typeof display === 'string' ? { command: shortened([display]) } : {};
}

/** What reaches beyond a sandbox is the operator's to allow; the file is changed from the host alone. */
function checkNetworkAnswer(row: ApprovalRow, choice: Choice, caller: Caller | undefined): void {
  if (networkAsked(row) === null || caller === undefined || caller.holdsHome === true || choice === 'deny') return;
  if (caller.owner !== operator)
    throw new CaissonError('permission_denied', `${row.id} is answered by the operator: it is about the network`, {
      remedy: 'ask the operator of the service',
    });
  if (choice === 'always')
    throw new CaissonError('invalid_argument', `${row.id} cannot be answered with always by a token`, {
      remedy: 'answer with session, or on the host of the service',
    });
}

const forAll: readonly string[] = ['once', 'session', 'deny'];

function checkForAll(choice: string): void {
  if (!forAll.includes(choice))
    throw new CaissonError('invalid_argument', `questions are not answered all at once with ${choice.slice(0, 20)}`, {
      remedy: 'answer each by its id, so that its rules are seen before they are saved',
      details: { choices: forAll },
    });
}

const leftBy = new Map<Code, AnsweredAll['left'][number]['why']>([
  ['permission_denied', 'own-token'],
  ['invalid_argument', 'not-offered'],
  ['conflict', 'late'],
  ['not_found', 'late'],
]);

async function answerEach(
  waiting: readonly ApprovalRow[],
  answer: (id: string) => Promise<void>,
): Promise<AnsweredAll> {
  const answered: string[] = [];
  const left: AnsweredAll['left'][number][] = [];
  for (const { id } of waiting) {
    try {
      await answer(id);
      answered.push(id);
    } catch (error) {
      const why = leftBy.get(toCaissonError(error).code);
      if (why === undefined) throw error;
      left.push({ id, why });
    }
  }
  return { answered, left };
}

export function noGrantError(id: string): CaissonError {
  return new CaissonError('not_found', `there is no answer ${id.slice(0, 64)} that still holds`, {
    remedy: 'caisson approvals ls --granted',
  });
}

const refusedEntry = { type: 'decision', taskId: null, execId: null, verdict: 'deny', kind: 'approval' } as const;

function viewOf(
  { id, taskId, question, state, choice, answeredBy, askedBy, createdAt }: ApprovalRow,
  caller: Caller | undefined,
): ApprovalView {
  const { warnings, diff, findings, choices, covers, proposal, expiresAt } = question;
  // It may write a file that it may not read.
  const isAsker = caller !== undefined && caller.token === askedBy?.token;
  return {
    id,
    taskId,
    state,
    askedBy: askedBy?.token ?? null,
    askedAt: new Date(createdAt).toISOString(),
    expiresAt: typeof expiresAt === 'number' ? new Date(expiresAt).toISOString() : null,
    ...askedIn(question),
    warnings: texts(warnings),
    diff: typeof diff === 'string' && !isAsker ? diff : null,
    findings: Array.isArray(findings) ? texts(findings.map(shownFinding)) : [],
    choices: texts(choices),
    choice,
    answeredBy,
    covers: texts(covers),
    proposal: texts(proposal),
  };
}

function grantViewOf({ id, taskId, covers, grantedBy, createdAt, expiresAt }: GrantRow): GrantView {
  return {
    id,
    taskId,
    covers,
    grantedBy,
    grantedAt: new Date(createdAt).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

/** A question of an older release says less. */
function askedIn({
  title,
  display,
  stdin,
  input,
  cwd,
  user,
  variables,
  backend,
  rule,
}: ApprovalRow['question']): Asked {
  const text = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);
  return {
    title: text(title, 'DANGEROUS COMMAND'),
    display: text(display, ''),
    backend: text(backend, ''),
    stdin: stdin === true,
    input: typeof input === 'string' ? input : null,
    variables: texts(variables),
    cwd: typeof cwd === 'string' ? cwd : null,
    ...(typeof user === 'string' ? { user } : {}),
    rule: typeof rule === 'string' ? rule : null,
  };
}

function shownFinding(finding: unknown): unknown {
  if (typeof finding !== 'object' || finding === null) return null;
  const rule: unknown = Reflect.get(finding, 'rule');
  const description: unknown = Reflect.get(finding, 'description');
  if (typeof description !== 'string') return null;
  return typeof rule === 'string' ? findingText({ rule, description }) : description;
}

/** Without rules that are saved by now; those of the file would not have been asked. */
async function suggestions({ approvals, savedRules }: Pick<Store, 'approvals' | 'savedRules'>) {
  const rows = await Array.fromAsync(everyRow((page) => approvals.answered(page), created));
  const owners = [...new Set(rows.map(({ taskId }) => ownerOf(taskId)))];
  const saved = await Promise.all(owners.map(async (owner) => await savedRules.of(owner)));
  const known = new Set(saved.flat().map(({ owner, rule }) => `${owner} ${rule}`));
  return suggestedRules(rows, (owner, rule) => known.has(`${owner} ${rule}`));
}
