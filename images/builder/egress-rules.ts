/** iptables-restore(8) of this host, as it goes into the egress image: the program, and the extensions that the rules need. */
import { readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const directories = ['/usr/sbin', '/sbin', '/usr/local/sbin', '/usr/bin', '/bin'];
/** Matches and targets, each a file of its own; their names have been the same for twenty years. */
const wanted = /^lib(?:xt_(?:standard|tcp|udp)|ipt_REJECT|xt_REJECT)\.so$/;

/** `null`: this host has none. */
export async function findRulesProgram(): Promise<string | null> {
  for (const directory of directories) {
    const found = await realpath(join(directory, 'iptables-restore')).catch(() => null);
    if (found !== null) return found;
  }
  return null;
}

/** `libraries`: those that the program is linked with. Extensions lie beside libxtables. */
export async function extensionsOf(libraries: readonly string[]): Promise<readonly string[]> {
  const own = libraries.find((path) => basename(path).startsWith('libxtables.'));
  if (own === undefined) return [];
  const directory = join(dirname(await realpath(own)), 'xtables');
  const names = await readdir(directory).catch(() => []);
  return names.filter((name) => wanted.test(name)).map((name) => join(directory, name));
}
