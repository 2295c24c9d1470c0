import { z } from 'zod';
import { time } from './common.ts';

const texts = z.array(z.string()).readonly();

export const approval = z
  .object({
    id: z.string(),
    taskId: z.string(),
    state: z.enum(['pending', 'approved', 'denied', 'used']),
    askedBy: z.string().nullable(),
    askedAt: time,
    display: z.string().describe('The command for people: without control characters, shortened.'),
    warnings: texts,
    findings: texts,
    choices: texts,
    covers: texts,
    proposal: texts,
  })
  .meta({ id: 'Approval' });

export const answerBody = z
  .strictObject({ choice: z.enum(['once', 'session', 'always', 'deny']) })
  .meta({ id: 'Answer' });

export const grant = z
  .object({
    id: z.string(),
    taskId: z.string(),
    covers: texts,
    grantedBy: z.string(),
    grantedAt: time,
    expiresAt: time.nullable(),
  })
  .meta({ id: 'Grant' });

export const skipBody = z.strictObject({ skip: z.boolean() });
