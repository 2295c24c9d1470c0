/** Questions about commands as front ends see and answer them. */
import type { ApprovalView, ApprovalsApi } from '../api.ts';
import type { Guard } from '../../guard/open.ts';
import type { ApprovalRow } from '../../store/store.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `env`: of this process, which may be one that Caisson itself started. */
export function approvalsOf({ queue, approvals }: Guard, env: Environment): ApprovalsApi {
  return {
    list: async () => (await queue.list()).map(viewOf),
    answer: async (id, choice, by) => await queue.answer(id, choice, { name: by, env }),
    skip: (taskId, on) => approvals.skip(taskId, on),
  };
}

function viewOf({ id, taskId, question, createdAt }: ApprovalRow): ApprovalView {
  const { display, warnings, findings, choices, proposal } = question;
  return {
    id,
    taskId,
    askedAt: new Date(createdAt).toISOString(),
    display: typeof display === 'string' ? display : '',
    warnings: texts(warnings),
    findings: Array.isArray(findings) ? texts(findings.map(descriptionOf)) : [],
    choices: texts(choices),
    proposal: texts(proposal),
  };
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

function descriptionOf(finding: unknown): unknown {
  return typeof finding === 'object' && finding !== null ? Reflect.get(finding, 'description') : null;
}
