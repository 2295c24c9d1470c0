/** Rules and records of the sandboxes of one owner. Which hosts it may allow is looked at where they are changed. */
import type { NetworkApi } from '../api.ts';
import type { Mine } from './place.ts';

export function networkOf({ api: { network }, scope, place, asked }: Mine): NetworkApi {
  return {
    checker: () => network.checker(),
    rules: (task, options) => asked(async () => scope.ofTask(await network.rules(await place(task), options))),
    change: (task, change, options) =>
      asked(async () => scope.ofTask(await network.change(await place(task), change, options))),
    async *log(task, how, options) {
      const key = await asked(async () => await place(task));
      yield* network.log(key, how, options);
    },
    suggest: (task, options) => asked(async () => scope.ofTask(await network.suggest(await place(task), options))),
  };
}
