/** The egress proxy of a test home, as a process: found, or started where its system has another resolver. */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { cli, type Home } from './home.ts';

const inNamespace = `mount --bind "$1" /etc/resolv.conf && mount --bind "$2" /etc/nsswitch.conf && shift 2 && exec "$@"`;

/**
 * Starts the proxy of a home, before any service of it does, with a name server at that address. It ends by itself some time after
 * the last sandbox, and so the first one has to follow at once.
 */
export async function startProxy(
  home: Home,
  { address, env }: { readonly address: string; readonly env: Readonly<Record<string, string>> },
): Promise<void> {
  const [resolver, order] = [join(home.path, 'resolv.conf'), join(home.path, 'nsswitch.conf')];
  writeFileSync(resolver, `nameserver ${address}\n`);
  writeFileSync(order, 'hosts: files dns\n');
  const egress = ['sh', '-c', inNamespace, 'sh', resolver, order, process.execPath, cli, 'egress'];
  const child = spawn('unshare', ['--mount', ...egress], {
    cwd: home.path,
    env: { ...home.env, ...env },
    stdio: 'ignore',
  });
  await vi.waitFor(
    () => {
      if (child.exitCode !== null) throw new Error(`the proxy has ended with ${child.exitCode}`);
      if (!existsSync(join(home.path, 'egress/control'))) throw new Error('the proxy does not answer');
    },
    { timeout: 20_000, interval: 25 },
  );
}
