/** Removes a tree through open directories, so that a process that can write in it cannot lead the removal elsewhere. */
import { lstatSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { yieldOften } from './yield-often.ts';
import { type ByteName, toBytes } from './byte-name.ts';
import { DirectoryChain } from './directory-chain.ts';
import { at, type Directory } from './directory.ts';

export async function removeTree(base: Directory, name: ByteName): Promise<void> {
  const chain = new DirectoryChain(base);
  const yieldNow = yieldOften(undefined);
  const todo = [{ segments: [name], emptied: false }];
  try {
    for (let item = todo.at(-1); item !== undefined; item = todo.at(-1)) {
      const children = removeOne(chain, item);
      if (children === null) todo.pop();
      else todo.push(...children.map((child) => ({ segments: [...item.segments, child], emptied: false })));
      item.emptied = true;
      await yieldNow();
    }
  } finally {
    chain.close();
  }
}

/** What must go first, or `null` when it is gone. */
function removeOne(
  chain: DirectoryChain,
  item: { readonly segments: ByteName[]; readonly emptied: boolean },
): ByteName[] | null {
  const where = at(chain.parentOf(item.segments), item.segments.at(-1) ?? '');
  const stats = lstatSync(where, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (!stats.isDirectory()) {
    unlinkSync(where);
    return null;
  }
  if (!item.emptied) return readdirSync(toBytes(chain.parentOf([...item.segments, '']).prefix), { encoding: 'latin1' });
  rmdirSync(where);
  return null;
}
