import { expect, it } from 'vitest';
import { CaissonError } from '../../src/errors.ts';
import { acquire } from '../../src/sandbox/acquire.ts';
import { measured } from '../../src/sandbox/measure.ts';
import { afresh, plan } from './service.ts';

const { service } = afresh();
const gone = new CaissonError('unavailable', 'the lane that ran the command is gone, so its end is not known');
const exec = (): Promise<never> => Promise.reject(gone);

it('a sandbox that another process has replaced while it was made ready says so, and names no command (R11)', async () => {
  const context = await service();
  const { row, sandbox } = await acquire(context, await plan(context), {});
  const fresh = { ...row, effective: null };
  await expect(measured(context, fresh, { ...sandbox, exec })).rejects.toBe(gone);
  await context.store.sandboxes.update(row.id, { generation: 2, endedBy: 'a recreation (process 7)' });
  await expect(measured(context, fresh, { ...sandbox, exec })).rejects.toMatchObject({
    code: 'unavailable',
    message: 'the sandbox of demo is not ready: the sandbox was replaced by a recreation (process 7)',
    remedy: 'ask for it again',
  });
});
