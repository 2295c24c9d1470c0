import { randomBytes } from 'node:crypto';
import { type CheckedRequest, checkRequest } from '../../src/exec/request.ts';
import type { ExecRequest } from '../../src/exec/types.ts';
import type { Where } from '../../src/values/exec-event.ts';

export function newExecId(): string {
  return `exec_${randomBytes(8).toString('hex')}`;
}

export function requestFor(
  command: readonly [string, ...string[]],
  changes: Partial<ExecRequest> = {},
): CheckedRequest {
  return checkRequest({
    execId: newExecId(),
    command,
    cwd: '/',
    env: {},
    stdin: false,
    tty: null,
    timeoutMs: null,
    outputLimitBytes: null,
    ...changes,
  });
}

export function shell(text: string, changes: Partial<ExecRequest> = {}): CheckedRequest {
  return requestFor(['sh', '-c', text], changes);
}

export const where: Where = {
  backend: 'test',
  taskId: 'task-1',
  sandboxId: 'sbx_test',
  host: null,
  resource: 'test',
  recreated: false,
};

export const bare = { where, recorder: null };
