/** Grammars and shapes that several routes share. Inputs are strict; of answers, what is not named here does not leave. */
import { z } from 'zod';
import { taskIdError } from '../../service/api.ts';

const maxTextBytes = 1024 * 1024;

/** What is of another form is refused in the words of the library. */
const named = (form: RegExp, description: string) =>
  z
    .string()
    .check(({ value, issues }) => {
      if (form.test(value)) return;
      const { message, remedy, details } = taskIdError(value);
      issues.push({ code: 'custom', input: value, message, params: { remedy, details } });
    })
    .meta({ pattern: form.source, description });

export const sandboxName = named(/^(?:[a-z0-9][a-z0-9_-]{0,62}|sbx_[a-z0-9]{16})$/, 'A task id or a sandbox id.');
/** An id of a sandbox has this form too: a request may name one that is there. */
export const taskId = named(/^[a-z0-9][a-z0-9_-]{0,62}$/, 'Of the caller: lower-case letters, digits, - and _.');
export const wholeTaskId = z
  .string()
  .regex(/^(?:[a-z][a-z0-9-]{0,31}\.)?[a-z0-9][a-z0-9_-]{0,62}$/)
  .describe('A task id; with `admin`, also that of a task of another owner, as lists show it: `alice.build`.');
/** Both names of a task in a body. */
export const taskNames = (name: z.ZodType<string>, description: string) =>
  ({
    task: name.exactOptional().describe(description),
    taskId: name.exactOptional().describe('Another name of `task`.'),
  }) as const;
/** A body that is to have one of them. */
export const bodyWithTask = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z
    .strictObject(shape)
    .refine((body): boolean => 'task' in body || 'taskId' in body, { path: ['task'], message: 'it names no task' })
    .meta({ id, anyOf: [{ required: ['task'] }, { required: ['taskId'] }] });
/** A task in a query for records: they are there after it, and a token with the scope admin sees those of all owners. */
export const recordsOf = z
  .string()
  .regex(/^(?:sbx_[a-z0-9]{16}|(?:[a-z][a-z0-9-]{0,31}\.)?[a-z0-9][a-z0-9_-]{0,62})$/)
  .describe('A task id or a sandbox id; with `admin`, also that of a task of another owner: `alice.build`.');
export const outcome = z.enum(['running', 'done', 'failed', 'denied', 'lost']);
export const ownerQuery = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/)
  .exactOptional()
  .describe('Of another owner than that of the token: with the scope admin only.');
export const execId = z.string().regex(/^exec_[A-Za-z0-9_-]{1,64}$/);
export const approvalId = z.string().regex(/^apr_[0-9a-f]{24}$/);
export const sessionName = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,62}$/);
export const insidePath = z.string().min(1).max(4096).describe('Absolute, inside the sandbox.');
export const text = z.string().max(maxTextBytes);
export const time = z.string().describe('RFC 3339, UTC.');
export const count = z.int().min(0);
/** A number in a query. */
export const queryCount = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);
export const queryFlag = z.enum(['true', 'false']).transform((value) => value === 'true');

export const inSandbox = z.strictObject({ id: sandboxName });
export const nothing = z.strictObject({});
/** Schema of a request without a body, for which some clients send `{}`. */
export const bodiless = z.union([nothing, z.undefined()]);
/** Schema of an answer without a body: 204. */
export const noAnswer = z.undefined();

/** Inputs of a route that takes none, and of one about a sandbox. */
export const bare = { params: nothing, query: nothing, body: bodiless } as const;
export const inside = { ...bare, params: inSandbox } as const;

export const pageQuery = {
  limit: queryCount.exactOptional().describe('1 to 1,000; 100 when absent.'),
  cursor: z.string().max(4096).exactOptional().describe('`nextCursor` of the page before.'),
};

export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item).readonly(), nextCursor: z.string().nullable() });
}

export const listOf = <T extends z.ZodType>(item: T) => z.object({ items: z.array(item).readonly() });

/** RFC 9457. */
export const problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    retryable: z.boolean(),
    remediation: z.string().nullable().describe('What the reader can do next.'),
    requestId: z.string(),
    details: z.record(z.string(), z.unknown()),
    errors: z.array(z.object({ pointer: z.string(), detail: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });
