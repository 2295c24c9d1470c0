import { z } from 'zod';
import { approvalId, bodyWithTask, listOf, taskNames, time, wholeTaskId } from './common.ts';

const texts = z.array(z.string()).readonly();

const approval = z
  .object({
    id: z.string(),
    taskId: z.string(),
    state: z.enum(['pending', 'approved', 'denied', 'used']),
    askedBy: z.string().nullable(),
    askedAt: time,
    expiresAt: time.nullable().describe('After it the answer is no.'),
    title: z.string().describe('Who asks: a rule, a mode or a danger.'),
    display: z.string().describe('The command for people: without control characters, shortened.'),
    stdin: z.boolean().describe('It reads input that is not judged.'),
    input: z
      .string()
      .nullable()
      .describe('All of that input: bounded, secrets taken out. Null: it comes later, or the command reads nothing.'),
    variables: texts.describe('Names of variables that the request sets.'),
    rule: z.string().nullable().describe('The permission rule that asks, or that could not be held otherwise.'),
    warnings: texts,
    diff: z
      .string()
      .nullable()
      .describe(
        'What a write changes in its file, like `diff -u`: bounded, secrets taken out. Null for the token that asked.',
      ),
    findings: texts,
    backend: z.string(),
    cwd: z.string().nullable().describe('In the sandbox.'),
    user: z
      .string()
      .exactOptional()
      .describe('User of the sandbox that would run it. Absent: the one that runs all its commands.'),
    choices: texts,
    choice: z.string().nullable().describe('What was answered.'),
    answeredBy: z.string().nullable(),
    covers: texts,
    proposal: texts,
  })
  .meta({ id: 'Approval' });

const answerBody = z.strictObject({ choice: z.enum(['once', 'session', 'always', 'deny']) }).meta({ id: 'Answer' });

/** Not `always`: its rules are to be seen for each question. */
const answerAllBody = bodyWithTask('AnswerAll', {
  ...taskNames(wholeTaskId, wholeTaskId.description ?? ''),
  choice: z.enum(['once', 'session', 'deny']),
});

const answeredAll = z
  .object({
    answered: texts.describe('Ids of the questions that were answered.'),
    left: z.array(z.object({ id: z.string(), why: z.enum(['own-token', 'not-offered', 'late']) })).readonly(),
  })
  .meta({ id: 'AnsweredAll' });

const grant = z
  .object({
    id: z.string(),
    taskId: z.string(),
    covers: texts,
    grantedBy: z.string(),
    grantedAt: time,
    expiresAt: time.nullable(),
  })
  .meta({ id: 'Grant' });

const suggestion = z
  .object({
    owner: z.string().describe('In whose tasks it was asked.'),
    rule: z.string().describe('For approvals.rules.allow.'),
    times: z.int(),
    tasks: z.int(),
    lastAt: time,
  })
  .meta({ id: 'RuleSuggestion' });

export const skipBody = z.strictObject({ skip: z.boolean() });

const ofQuestion = z.strictObject({ approvalId });

/** What plain routes take and give. */
export const plain = {
  list: { answer: listOf(approval) },
  get: { params: ofQuestion, answer: approval },
  answer: { params: ofQuestion, body: answerBody },
  answerAll: { body: answerAllBody, answer: answeredAll },
  grants: { answer: listOf(grant) },
  suggest: { answer: listOf(suggestion) },
  revoke: { params: z.strictObject({ grantId: z.string().regex(/^grt_[0-9a-f]{24}$/) }) },
} as const;
