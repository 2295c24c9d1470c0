/** Sandboxes and files of one owner. */
import type { Acquired, FilesApi, Options, SandboxesApi } from '../api.ts';
import { refused } from './refused.ts';
import { keyOf, type Mine } from './place.ts';

export function sandboxesOf({ api: { sandboxes }, scope, bound, place, asked }: Mine): SandboxesApi {
  const shown = (acquired: Acquired): Acquired => ({ ...acquired, sandbox: scope.ofTask(acquired.sandbox) });
  return {
    create: (request, options) =>
      asked(async () => {
        const key = await keyOf({ scope, bound, place }, request);
        return shown(await sandboxes.create({ ...request, taskId: key }, options));
      }),
    list: ({ task, ...filter } = {}, options) =>
      asked(async () => {
        const named = task === undefined ? {} : { task: await place(task) };
        const within = bound.filter(filter);
        if (within === null) return { items: [], nextCursor: null };
        const wanted = { ...within, ...bound.task(named), owner: scope.owner };
        const { items, nextCursor } = await sandboxes.list(wanted, options);
        return { items: items.map((item) => scope.ofTask(item)), nextCursor };
      }),
    get: (task, options) => asked(async () => scope.ofTask(await sandboxes.get(await place(task), options))),
    update: (task, change, options) =>
      asked(async () => {
        bound.checkLabels(change);
        return scope.ofTask(await sandboxes.update(await place(task), change, options));
      }),
    start: (task, options) => asked(async () => shown(await sandboxes.start(await place(task), options))),
    stop: (task, options) => asked(async () => await sandboxes.stop(await place(task), options)),
    remove: (task, how, options) => asked(async () => await sandboxes.remove(await place(task), how, options)),
    limits: (task, options) => asked(async () => scope.ofTask(await sandboxes.limits(await place(task), options))),
    stats: (task, options) => asked(async () => await sandboxes.stats(await place(task), options)),
    gc: refused,
  };
}

export function filesOf({ api: { files }, place, asked }: Mine): FilesApi {
  const inTask =
    <Input extends { readonly task: string }, Result>(
      verb: (input: Input, options?: Options) => Promise<Result>,
    ): ((input: Input, options?: Options) => Promise<Result>) =>
    async (input, options) =>
      await asked(async () => await verb({ ...input, task: await place(input.task) }, options));
  return {
    read: inTask((input, options) => files.read(input, options)),
    stream: inTask((input, options) => files.stream(input, options)),
    write: inTask((input, options) => files.write(input, options)),
    patch: inTask((input, options) => files.patch(input, options)),
    list: inTask((input, options) => files.list(input, options)),
    stat: inTask((input, options) => files.stat(input, options)),
    move: inTask((input, options) => files.move(input, options)),
    remove: inTask((input, options) => files.remove(input, options)),
    search: inTask((input, options) => files.search(input, options)),
    archive: inTask((input, options) => files.archive(input, options)),
    unpack: inTask((input, options) => files.unpack(input, options)),
    watch: inTask((input, options) => files.watch(input, options)),
    // They name files of the host.
    ...{ copyIn: refused, copyOut: refused, sync: refused },
  };
}
