/** Questions about commands as front ends see and answer them. */
import type { Audit } from '../../audit/types.ts';
import { CaissonError } from '../../errors.ts';
import type { ApprovalView, ApprovalsApi, GrantView } from '../api.ts';
import type { Guard } from '../../guard/open.ts';
import type { ApprovalRow, GrantRow } from '../../store/store.ts';

type Environment = Readonly<Record<string, string | undefined>>;

interface Surroundings {
  /** Of this process, which may be one that Caisson itself started. */
  readonly env: Environment;
  readonly audit: Pick<Audit, 'record'>;
}

export function approvalsOf({ queue, grants, approvals }: Guard, { env, audit }: Surroundings): ApprovalsApi {
  return {
    list: async () => (await queue.list()).map(viewOf),
    answer: async (id, choice, by) => await queue.answer(id, choice, { name: by, env }),
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

function viewOf({ id, taskId, question, createdAt }: ApprovalRow): ApprovalView {
  const { display, warnings, findings, choices, covers, proposal } = question;
  return {
    id,
    taskId,
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
