import { CaissonError } from '../../errors.ts';
import type { Acquired, SandboxesApi, SandboxView } from '../../service/api.ts';
import { sandboxes } from '../../service/verbs/sandboxes.ts';
import { page } from '../wire/page.ts';
import { segment } from '../wire/path.ts';
import { shaped } from '../wire/shape.ts';
import type { Wire } from '../wire/wire.ts';
import { made } from './made.ts';

const { path } = sandboxes.list;

export function sandboxesOf(wire: Wire): SandboxesApi {
  const create: SandboxesApi['create'] = async ({ existing, ...body }, { signal } = {}) => {
    // Started where it is stopped, and never made.
    const started = existing === true ? { path: `${path}/${segment(body.taskId)}/start` } : { path, body };
    // Create-or-get: sent twice, it finds what the first has made.
    const found = await wire.json({ method: 'POST', ...started, repeatable: true, signal });
    return shaped<Acquired>(found, sandboxes.start.gives);
  };
  const list: SandboxesApi['list'] = async ({ owner, labels, ...filter } = {}, { signal } = {}) => {
    if (owner !== undefined)
      throw new CaissonError(
        'not_supported',
        'a list of the service has no filter by owner: it lists what the token sees',
      );
    const label = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
    const query = { ...filter, label };
    return page<SandboxView>(await wire.json({ method: 'GET', path, query, signal }), sandboxes.update.gives);
  };
  return made(wire, 'sandboxes', { rows: sandboxes, byHand: { create, list } });
}
