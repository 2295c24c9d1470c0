/** Rules and records of the sandboxes of one owner. Which hosts it may allow is looked at where they are changed. */
import type { NetworkApi } from '../api.ts';
import { network } from '../verbs/network.ts';
import { made } from './made.ts';
import type { Mine } from './place.ts';

export function networkOf(mine: Mine): NetworkApi {
  const log: NetworkApi['log'] = async function* (task, how, options) {
    const key = await mine.asked(async () => await mine.place(task));
    yield* mine.api.network.log(key, how, options);
  };
  return made(mine, mine.api.network, { rows: network, byHand: { log } });
}
