/** The Debian and Ubuntu packages that real engines and their images need. */
import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { promisify } from 'node:util';
import { findCommand, rootPrefix } from './privileges.ts';

const run = promisify(execFile);

export const packages = [
  'docker.io', // dockerd, containerd, runc
  'iptables', // networks of sandboxes
  'iproute2', // the engine's own network, and its link to the host
  'btrfs-progs', // an engine that enforces disk limits
  'mmdebstrap', // images, without a registry
  'debootstrap', // the same, for what builds on it
  'busybox-static', // the smallest image
] as const;

/** What only tests need: on the machine of a user, no user expects an sshd to appear. */
const hostPackages = [
  'openssh-server', // a host for the ssh backend
  'openssh-client', // ssh-keygen, ssh-agent
  'systemd', // a host with limits for the ssh backend
  'docker-compose', // the service beside an engine
  'squashfs-tools', // images of Apptainer
  'uidmap', // what Apptainer wants for its namespaces
  'patchelf', // has the Apptainer of Debian sid find its own libc
  'e2fsprogs', // disk images of a fixed size
  'shellcheck', // reads the scripts that run in sandboxes
  'zsh', // completes command lines
  'fish', // the same
  'chromium', // a page that uses the client
  'strace', // holds a process where a busy machine might
  'python3-requests', // the Python example
  'python3-pip', // installs the Python client
  'mypy', // checks its types
  'openssl', // a certificate that it must not trust by itself
] as const;

export async function missingForTests(): Promise<readonly string[]> {
  return [...(await missingPackages()), ...(await missingOf(hostPackages))];
}

export async function missingPackages(): Promise<readonly string[]> {
  return await missingOf(packages);
}

async function missingOf(names: readonly string[]): Promise<readonly string[]> {
  const states = await Promise.all(names.map(async (name) => ({ name, installed: await isInstalled(name) })));
  return states.filter(({ installed }) => !installed).map(({ name }) => name);
}

async function isInstalled(name: string): Promise<boolean> {
  try {
    const { stdout } = await run('dpkg-query', ['-W', '-f=${db:Status-Status}', name]);
    return stdout === 'installed';
  } catch {
    return false; // dpkg does not know it.
  }
}

/** What a person types when we may not. */
export function installCommand(names: readonly string[]): string {
  return `sudo apt-get update && sudo apt-get install -y --no-install-recommends ${names.join(' ')}`;
}

/** Brings the lists up to date first only when they are missing, or an install with them failed. */
export async function install(names: readonly string[]): Promise<void> {
  if (findCommand('apt-get') === null)
    throw new Error(
      `this is neither Debian nor Ubuntu: install by its own means what these packages hold: ${names.join(' ')}`,
    );
  const prefix = await rootPrefix();
  if (prefix === null) throw new Error(`not root, and sudo asks for a password. Run:\n  ${installCommand(names)}`);
  const apt = (...rest: readonly string[]) =>
    root([...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', ...rest]);
  const installNow = () => apt('install', '-y', '--no-install-recommends', ...names);
  if (!hasLists()) await apt('update');
  await installNow().catch(async () => {
    await apt('update');
    await installNow();
  });
}

function hasLists(): boolean {
  return readdirSync('/var/lib/apt/lists').some((name) => name.includes('_Packages'));
}

async function root(line: readonly string[]): Promise<void> {
  const [command = '', ...rest] = line;
  await run(command, rest, { maxBuffer: 2 ** 26 });
}
