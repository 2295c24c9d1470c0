/** Sandboxes of one owner. */
import type { SandboxesApi } from '../api.ts';
import { sandboxes } from '../verbs/sandboxes.ts';
import { made } from './made.ts';
import { keyOf, type Mine } from './place.ts';
import { refuse } from './refused.ts';

export function sandboxesOf(mine: Mine): SandboxesApi {
  const { scope, bound, place, asked } = mine;
  const noun = mine.api.sandboxes;
  const create: SandboxesApi['create'] = (request, options) =>
    asked(async () => {
      const key = await keyOf({ scope, bound, place }, request);
      const acquired = await noun.create({ ...request, taskId: key }, options);
      return { ...acquired, sandbox: scope.ofTask(acquired.sandbox) };
    });
  const list: SandboxesApi['list'] = ({ task, pool, ...filter } = {}, options) =>
    asked(async () => {
      // Members of the pool are of no owner.
      if (pool === true) return { items: [], nextCursor: null };
      const named = task === undefined ? {} : { task: await place(task) };
      const within = bound.filter(filter);
      if (within === null) return { items: [], nextCursor: null };
      const wanted = { ...within, ...bound.task(named), owner: scope.owner };
      const { items, nextCursor } = await noun.list(wanted, options);
      return { items: items.map((item) => scope.ofTask(item)), nextCursor };
    });
  const top: SandboxesApi['top'] = ({ task, owner, ...filter } = {}, options) =>
    asked(async () => {
      if (owner !== undefined && owner !== scope.owner) refuse();
      const named = task === undefined ? {} : { task: await place(task) };
      const within = bound.filter(filter);
      if (within === null) return [];
      const wanted = { ...within, ...bound.task(named), owner: scope.owner };
      return (await noun.top(wanted, options)).map((use) => scope.ofTask(use));
    });
  return made(mine, noun, { rows: sandboxes, byHand: { create, list, top } });
}
