import { z } from 'zod';
import { time } from './common.ts';

const platform = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,31}$/)
  .describe('As in `telegram`.');
const id = z.string().min(1).max(256).describe('As the platform has it.');
const person = { platform: z.string(), ids: z.array(z.string()).readonly(), name: z.string().nullable() };

/** Ids are to be those that the platform vouches for, never what a message says of itself. */
export const messageBody = z
  .strictObject({
    platform,
    from: z.strictObject({
      ids: z.tuple([id], id).describe('The id by which people know the sender, then others of the same person.'),
      name: z.string().max(256).exactOptional(),
    }),
    channel: z.strictObject({ id, parent: id.exactOptional() }).nullable().describe('null: a direct message.'),
    addressed: z.enum(['mention', 'command']).nullable(),
  })
  .meta({ id: 'Message' });

export const hearing = z
  .object({
    what: z.enum(['heard', 'pair', 'ignored']),
    rule: z.string().optional().describe('By what the sender may talk.'),
    answer: z.enum(['here', 'thread']).optional(),
    code: z.string().optional().describe('For the sender alone, never for a log.'),
    expiresAt: time.optional(),
    why: z.string().optional(),
    cwd: z.string().optional().describe('Where commands of the conversation start, by MESSAGING_CWD.'),
    conversation: z.string().optional().describe('Of a message that is heard: to be used as `taskId`.'),
  })
  .meta({ id: 'Hearing' });

const paired = z.object({ ...person, pairedAt: time, by: z.string() }).meta({ id: 'Paired' });

const pairings = z
  .object({
    pending: z.array(z.object({ id: z.string(), ...person, askedAt: time, expiresAt: time })).readonly(),
    paired: z.array(paired).readonly(),
    lockedOut: z.array(z.object({ platform: z.string(), until: time })).readonly(),
  })
  .meta({ id: 'Pairings' });

const codeBody = z.strictObject({ platform, code: z.string().min(1).max(64) }).meta({ id: 'PairingCode' });
const revokeBody = z.strictObject({ platform, user: id }).meta({ id: 'RevokePairing' });
const revoked = z
  .object({ user: paired, still: z.string().describe('What still lets them in; `none`: nothing does.') })
  .meta({ id: 'RevokedPairing' });

/** What plain routes take and give. */
export const plain = {
  list: { answer: pairings },
  approve: { body: codeBody, answer: paired },
  revoke: { body: revokeBody, answer: revoked },
} as const;
