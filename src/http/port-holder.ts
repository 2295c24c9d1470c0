/** Which process of this host listens on a port, as far as this user may see it (proc(5), Linux). */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Holder {
  readonly pid: number;
  /** Name of the program, without its arguments. */
  readonly name: string;
}

const listening = '0A';

/** Inodes of the sockets that listen on the port, from the text of /proc/net/tcp or tcp6. */
export function listenersOn(port: number, table: string): readonly string[] {
  const wanted = port.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').flatMap((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    return state === listening && local.endsWith(`:${wanted}`) && inode !== undefined ? [inode] : [];
  });
}

/** `null`: it is not to be seen. */
export function holderOf(port: number): Holder | null {
  const tables = ['tcp', 'tcp6'].map((name) => readQuietly(`/proc/net/${name}`));
  const sockets = new Set(tables.flatMap((table) => listenersOn(port, table)).map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return null;
  const pid = listOf('/proc').find((entry) => /^\d+$/.test(entry) && holds(entry, sockets));
  return pid === undefined ? null : { pid: Number(pid), name: readQuietly(`/proc/${pid}/comm`).trim() };
}

function holds(pid: string, sockets: ReadonlySet<string>): boolean {
  return listOf(`/proc/${pid}/fd`).some((fd) => sockets.has(linkOf(`/proc/${pid}/fd/${fd}`)));
}

/** A process that has ended meanwhile, or is another user's, shows nothing. */
function quietly<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

const listOf = (path: string): readonly string[] => quietly(() => readdirSync(path), []);
const linkOf = (path: string): string => quietly(() => readlinkSync(path), '');
const readQuietly = (path: string): string => quietly(() => readFileSync(path, 'utf8'), '');
