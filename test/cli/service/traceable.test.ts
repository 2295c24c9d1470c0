import { expect, it } from 'vitest';
import { traceable } from '../../../src/cli/service/traceable.ts';
import { connectCaisson } from '../../../src/client/connect.ts';
import { CaissonError } from '../../../src/errors.ts';
import { http } from '../../client/unix/services.ts';

it('a command whose service is gone before it answers names its id, and the command that shows its record', async () => {
  const transport = await http((request) => request.socket.destroy());
  const client = connectCaisson({ token: 'any', transport, resumeMs: 0 });
  const request = { taskId: 't', command: ['true'], execId: 'exec_mine' } as const;
  const lost: unknown = await client.exec(request).catch((error: unknown) => error);
  expect(traceable(lost, request.execId)).toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('exec_mine'),
    remedy: expect.stringContaining('caisson logs exec_mine'),
    details: { execId: 'exec_mine' },
  });
});

it('so does one whose service lives and does not answer', () => {
  const error = new CaissonError('unavailable', 'it does not answer', { details: { silent: true }, remedy: 'stop it' });
  expect(traceable(error, 'exec_mine')).toMatchObject({
    remedy: 'stop it; then caisson logs exec_mine shows what is recorded of the command',
  });
});

it('a command that was surely not sent, or was refused, is said as it is', () => {
  for (const error of [
    new CaissonError('unavailable', 'no service', { details: { sent: false } }),
    new CaissonError('unavailable', 'the engine does not answer'),
    new CaissonError('not_found', 'there is no such task'),
    new Error('any'),
  ])
    expect(traceable(error, 'exec_mine')).toBe(error);
});
