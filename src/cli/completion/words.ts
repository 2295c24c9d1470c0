/** `caisson completion words -- BEFORE... =LAST`: what the scripts of the shells ask. */
import { everyItem } from '../../service/api.ts';
import { escapeLine } from '../escape.ts';
import type { World } from '../world.ts';
import { candidatesFor } from './candidates.ts';

/** A word and what it means on each line. The last word has `=` before it, since it may be empty. */
export async function completionWords(argv: readonly string[], world: World): Promise<string> {
  const words = argv[0] === '--' ? argv.slice(1) : argv;
  const last = (words.at(-1) ?? '=').replace(/^=/, '');
  const found = await candidatesFor(words.slice(0, -1), last, { tasks: () => tasksOf(world) });
  return found.map(({ word, about }) => `${escapeLine(word)}\t${escapeLine(about)}\n`).join('');
}

async function tasksOf({ env, cwd, open }: World): Promise<readonly string[]> {
  const service = await open({ env, cwd });
  try {
    const all = await Array.fromAsync(everyItem((page) => service.sandboxes.list(page)));
    return all.filter(({ ephemeral }) => !ephemeral).map(({ taskId }) => taskId);
  } finally {
    await service.close({ awaitRemovals: false });
  }
}
