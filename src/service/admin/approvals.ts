/** Questions about commands as front ends see and answer them. */
import type { Audit } from '../../audit/types.ts';
import { CaissonError, isCode } from '../../errors.ts';
import type { ApprovalView, ApprovalsApi, GrantView } from '../api.ts';
import type { Guard } from '../../guard/open.ts';
import type { ApprovalRow, GrantRow } from '../../store/store.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface Surroundings {
  /** Of this process, which may be one that Caisson itself started. */
  readonly env: Environment;
  readonly audit: Pick<Audit, 'record' | 'recordSoon'>;
}

export function approvalsOf({ queue, grants, approvals }: Guard, { env, audit }: Surroundings): ApprovalsApi {
  return {
    list: async ({ caller } = {}) => (await queue.list(caller)).map(viewOf),
    get: async (id, { caller } = {}) => viewOf(await queue.get(id, caller)),
    answer: async (id, choice, by, { caller } = {}) => {
      try {
        await queue.answer(id, choice, { name: by, env, caller });
      } catch (error) {
        if (caller !== undefined && isCode(error, 'permission_denied'))
          audit.recordSoon({
            ...refusedEntry,
            approval: id.slice(0, 64),
            by: by.slice(0, 200),
            message: error.message,
          });
        throw error;
      }
    },
    grants: async () => (await grants.list()).map(grantViewOf),
    revoke: async (id, by) => {
      const grant = await grants.revoke(id);
      if (grant === null)
        throw new CaissonError('not_found', `there is no answer ${id.slice(0, 64)} that still holds`, {
          remedy: 'caisson approvals ls --granted',
        });
      const { taskId, covers } = grant;
      await audit.record({ type: 'decision', taskId, execId: null, revoked: id, covers, by: by.slice(0, 200) });
    },
    skip: (taskId, on) => approvals.skip(taskId, on),
  };
}

const refusedEntry = { type: 'decision', taskId: null, execId: null, verdict: 'deny', kind: 'approval' } as const;

function viewOf({ id, taskId, question, state, askedBy, createdAt }: ApprovalRow): ApprovalView {
  const { display, warnings, findings, choices, covers, proposal } = question;
  return {
    ...{ id, taskId, state },
    askedBy: askedBy?.token ?? null,
    askedAt: new Date(createdAt).toISOString(),
    display: typeof display === 'string' ? display : '',
    warnings: texts(warnings),
    findings: Array.isArray(findings) ? texts(findings.map(descriptionOf)) : [],
    choices: texts(choices),
    covers: texts(covers),
    proposal: texts(proposal),
  };
}

function grantViewOf({ id, taskId, covers, grantedBy, createdAt, expiresAt }: GrantRow): GrantView {
  return {
    ...{ id, taskId, covers, grantedBy },
    grantedAt: new Date(createdAt).toISOString(),
    expiresAt: expiresAt === null ? null : new Date(expiresAt).toISOString(),
  };
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

function descriptionOf(finding: unknown): unknown {
  return typeof finding === 'object' && finding !== null ? Reflect.get(finding, 'description') : null;
}
