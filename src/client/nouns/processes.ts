import { CaissonError } from '../../errors.ts';
import type { Detached, DetachedProcess, Killed, ListedProcess, TaskProcess } from '../../service/api.ts';
import { checkedExecId, newExecId } from '../exec/ids.ts';
import type { ClientProcessesApi } from '../types.ts';
import { segment } from '../wire/path.ts';
import { listed, shaped, type Shape } from '../wire/shape.ts';
import type { Wire } from '../wire/wire.ts';

const path = '/v1/processes';
const at = (id: string, verb = ''): string => `${path}/${checkedExecId(id)}${verb}`;
const shape: Shape<DetachedProcess> = { id: 'text', command: 'list', state: 'text', truncated: 'object' };
const ofTask: Shape<TaskProcess> = { ...shape, taskId: 'text', sandboxId: 'text' };

export function processesOf(wire: Wire): ClientProcessesApi {
  return {
    start: async ({ execId = newExecId(), ...request }, { signal, question } = {}) => {
      const waits = question?.waits === false ? { waitForApproval: false } : {};
      const body = { ...request, ...waits, execId: checkedExecId(execId) };
      const made = await wire.json({ method: 'POST', path, body, repeatable: true, signal });
      return shaped<Detached>(made, { id: 'text', started: 'flag', where: 'object' });
    },
    list: async ({ task, owner } = {}, { signal } = {}) => {
      if (owner !== undefined) throw new CaissonError('not_supported', 'a list of the service has no filter by owner');
      const place = task === undefined ? path : `/v1/sandboxes/${segment(task)}/processes`;
      return listed<ListedProcess>(await wire.json({ method: 'GET', path: place, signal }), ofTask);
    },
    get: async (id, { signal } = {}) =>
      shaped<TaskProcess>(await wire.json({ method: 'GET', path: at(id), signal }), ofTask),
    input: async (id, source, { signal } = {}) => {
      await wire.json({ method: 'PUT', path: at(id, '/input'), bytes: source, signal });
    },
    wait: async (id, { signal } = {}) =>
      shaped<DetachedProcess>(await wire.json({ method: 'GET', path: at(id, '/wait'), signal }), shape),
    kill: async (id, name, { signal } = {}) => {
      const killed = await wire.json({ method: 'DELETE', path: at(id), query: { signal: name }, signal });
      return shaped<Killed>(killed, { process: 'object', survivors: 'list?' });
    },
  };
}
