import { readdirSync, readFileSync } from 'node:fs';

/** Process id of the proxy of a state directory. `null`: no proxy runs. */
export function proxyPid(home: string): number | null {
  const read = (pid: string, file: string): readonly string[] => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0');
    } catch {
      // It has ended meanwhile.
      return [];
    }
  };
  const isProxy = (pid: string): boolean =>
    read(pid, 'cmdline').at(-2) === 'egress' && read(pid, 'environ').includes(`CAISSON_HOME=${home}`);
  const found = readdirSync('/proc').find((pid) => /^\d+$/.test(pid) && isProxy(pid));
  return found === undefined ? null : Number(found);
}
