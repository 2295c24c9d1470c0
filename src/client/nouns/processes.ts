import { CaissonError } from '../../errors.ts';
import type { Detached, ListedProcess } from '../../service/api.ts';
import { processes } from '../../service/verbs/processes.ts';
import { checkedExecId, newExecId } from '../exec/ids.ts';
import type { ClientProcessesApi } from '../types.ts';
import { segment } from '../wire/path.ts';
import { listed, shaped } from '../wire/shape.ts';
import type { Wire } from '../wire/wire.ts';
import { made } from './made.ts';

const { path } = processes.list;

export function processesOf(wire: Wire): ClientProcessesApi {
  const byHand: Pick<ClientProcessesApi, 'start' | 'list' | 'input'> = {
    start: async ({ execId = newExecId(), ...request }, { signal, question } = {}) => {
      const waits = question?.waits === false ? { waitForApproval: false } : {};
      const body = { ...request, ...waits, execId: checkedExecId(execId) };
      const found = await wire.json({ method: 'POST', path, body, repeatable: true, signal });
      return shaped<Detached>(found, { id: 'text', started: 'flag', where: 'object' });
    },
    list: async ({ task, owner } = {}, { signal } = {}) => {
      if (owner !== undefined) throw new CaissonError('not_supported', 'a list of the service has no filter by owner');
      const place = task === undefined ? path : `/v1/sandboxes/${segment(task)}/processes`;
      return listed<ListedProcess>(await wire.json({ method: 'GET', path: place, signal }), processes.get.gives);
    },
    input: async (id, source, { signal } = {}) => {
      await wire.json({ method: 'PUT', path: `${path}/${checkedExecId(id)}/input`, bytes: source, signal });
    },
  };
  return made(wire, 'processes', { rows: processes, byHand });
}
