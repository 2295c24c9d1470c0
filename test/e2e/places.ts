/** A service on each backend that this machine has: docker, this host, and a host over ssh. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Approver } from '../../src/guard/types.ts';
import type { Caisson } from '../../src/service/caisson.ts';
import { openCaisson } from '../../src/main.ts';
import { hasSshd, type Sshd, startSshd } from '../engines/sshd.ts';
import type { Home } from './home.ts';

export interface Places {
  readonly backends: readonly string[];
  /** Commands that could touch a host are not asked about. `config`: further keys of `terminal`, one a line. */
  open(
    home: Home,
    backend: string,
    how?: { readonly config?: string; readonly env?: NodeJS.ProcessEnv; readonly approver?: Approver },
  ): Promise<Caisson>;
  stop(): Promise<void>;
}

export async function openPlaces(): Promise<Places> {
  const sshd: Sshd | null = hasSshd() ? await startSshd() : null;
  const settings = Object.entries(sshd?.settings ?? {}).map(([key, value]) => [`terminal.ssh_${key}`, value] as const);
  return {
    backends: ['docker', 'local', ...(sshd === null ? [] : ['ssh'])],
    open: async (home, backend, { config = '', env = {}, approver } = {}) => {
      const text = `approvals: {mode: "off"}\nterminal:\n  backend: ${backend}\n${config}`;
      await writeFile(join(home.path, 'config.yaml'), text, { mode: 0o600 });
      // The ssh client finds the key of the host in the home directory.
      const own = backend === 'ssh' ? { ...home.env, HOME: sshd?.home } : home.env;
      return await openCaisson({
        home: home.path,
        env: { ...own, ...env },
        cwd: home.path,
        flags: Object.fromEntries(settings),
        ...(approver === undefined ? {} : { approver }),
      });
    },
    stop: async () => {
      await sshd?.stop();
    },
  };
}
