import { CaissonError } from '../../errors.ts';
import type {
  Acquired,
  GcItem,
  Inspected,
  SandboxesApi,
  SandboxLimits,
  SandboxView,
  Stats,
} from '../../service/api.ts';
import { page } from '../wire/page.ts';
import { segment } from '../wire/path.ts';
import { listed, shaped, type Shape } from '../wire/shape.ts';
import type { Ask, Wire } from '../wire/wire.ts';

const path = '/v1/sandboxes';
const at = (task: string, verb = ''): string => `${path}/${segment(task)}${verb}`;
const shape: Shape<SandboxView> = { id: 'text', taskId: 'text', state: 'text', spec: 'object', labels: 'object' };

export function sandboxesOf(wire: Wire): SandboxesApi {
  const ask = async (request: Ask): Promise<unknown> => await wire.json(request);
  return {
    create: async (request, { signal } = {}) => {
      if (request.existing === true) return await existing(wire, request.taskId ?? '', signal);
      const { existing: _, ...body } = request;
      // Create-or-get: sent twice, it finds what the first has made.
      return acquired(await ask({ method: 'POST', path, body, repeatable: true, signal }));
    },
    list: async ({ owner, labels, ...filter } = {}, { signal } = {}) => {
      if (owner !== undefined)
        throw new CaissonError(
          'not_supported',
          'a list of the service has no filter by owner: it lists what the token sees',
        );
      const label = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
      const found = await ask({ method: 'GET', path, query: { ...filter, label }, signal });
      const { items, nextCursor } = page<SandboxView>(found, shape);
      return { items: items.map(view), nextCursor };
    },
    get: async (task, { signal } = {}) =>
      view(
        shaped<Inspected>(await ask({ method: 'GET', path: at(task), signal }), {
          ...shape,
          resource: 'text',
          endsBy: 'list',
        }),
      ),
    update: async (task, change, { signal } = {}) =>
      view(shaped<SandboxView>(await ask({ method: 'PATCH', path: at(task), body: change, signal }), shape)),
    start: async (task, { signal } = {}) =>
      acquired(await ask({ method: 'POST', path: at(task, '/start'), repeatable: true, signal })),
    stop: async (task, { signal } = {}) => {
      await ask({ method: 'POST', path: at(task, '/stop'), repeatable: true, signal });
    },
    remove: async (task, { keepFiles } = {}, { signal } = {}) => {
      await ask({ method: 'DELETE', path: at(task), query: { keepFiles }, signal });
    },
    limits: async (task, { signal } = {}) =>
      shaped<SandboxLimits>(await ask({ method: 'GET', path: at(task, '/limits'), headers: json, signal }), {
        ...{ taskId: 'text', sandboxId: 'text', limits: 'list', network: 'object', endsBy: 'list' },
      }),
    stats: async (task, { signal } = {}) =>
      shaped<Stats>(await ask({ method: 'GET', path: at(task, '/stats'), signal }), {
        cpuNanos: 'number?',
        memoryBytes: 'number?',
      }),
    gc: async (how, { signal } = {}) =>
      listed<GcItem>(await ask({ method: 'POST', path: '/v1/gc', body: how, signal }), { kind: 'text', name: 'text' }),
  };
}

const json = { accept: 'application/json' } as const;

/** Started where it is stopped, and never made. */
async function existing(wire: Wire, task: string, signal: AbortSignal | undefined): Promise<Acquired> {
  return acquired(await wire.json({ method: 'POST', path: at(task, '/start'), repeatable: true, signal }));
}

function acquired(value: unknown): Acquired {
  const { sandbox, how, lostSince } = shaped<Acquired>(value, { sandbox: 'object', how: 'text', lostSince: 'text?' });
  return { sandbox: view(shaped<SandboxView>(sandbox, shape)), how, lostSince };
}

/** Paths of the host of the service are not for clients. */
const view = <View extends SandboxView>(sandbox: View): View => ({ ...sandbox, directory: null });
