/**
 * A real sshd for one test file: on a loopback port, with keys, configuration and home directory of its own. It ends
 * with the test process, however that ends, and needs no other right than that of the user who runs the tests.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { enginesRequired } from './places.ts';
import { findCommand } from './privileges.ts';

export interface Sshd {
  readonly pid: number;
  readonly port: number;
  /** HOME of the account that logs in, and of the client. */
  readonly home: string;
  /** The public key of the host, as it stands in known_hosts without the name. */
  readonly hostKey: string;
  /** Settings of a client that is let in and knows the host. */
  readonly settings: { readonly host: string; readonly port: number; readonly key: string };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes the client's known_hosts anew. */
  know(text: string): void;
  stop(): Promise<void>;
}

/** `null`: it should work. */
export function whyNoSshd(): string | null {
  const missing = ['sshd', 'ssh-keygen', 'setpriv'].filter((name) => findCommand(name) === null);
  return missing.length === 0 ? null : `${missing.join(', ')} not found: run \`npm run engines\``;
}

/** Whether sshd is here. Throws where engines are required and it is missing, so that tests do not just skip. */
export function hasSshd(): boolean {
  const why = whyNoSshd();
  if (why !== null && enginesRequired()) throw new Error(why);
  return why === null;
}

/** What is started so that sshd listens: `sshd` itself, or a machine around it, with its files in `directory`. */
export type Wrap = (sshd: readonly string[], directory: string) => readonly string[];

/** `more`: lines of sshd_config. */
export async function startSshd(more: readonly string[] = [], wrap: Wrap = withoutSystemd): Promise<Sshd> {
  const directory = mkdtempSync(join(tmpdir(), 'caisson-sshd-'));
  const home = join(directory, 'home');
  mkdirSync(join(home, '.ssh'), { recursive: true, mode: 0o700 });
  makeKey(join(directory, 'host'));
  makeKey(join(home, '.ssh/id_ed25519'));
  copyFileSync(join(home, '.ssh/id_ed25519.pub'), join(directory, 'authorized_keys'));
  const port = await freePort();
  writeFileSync(join(directory, 'sshd_config'), configuration({ directory, home, port }, more));
  // When sshd runs as root it locks a child up in this empty directory.
  if (process.getuid?.() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const child = await listening(wrap([sshdPath(), '-D', '-e', '-f', join(directory, 'sshd_config')], directory), port);
  const hostKey = readFileSync(join(directory, 'host.pub'), 'utf8').split(' ').slice(0, 2).join(' ');
  const know = (text: string): void => writeFileSync(join(home, '.ssh/known_hosts'), text);
  know(`[127.0.0.1]:${port} ${hostKey}\n`);
  return {
    pid: child.pid ?? 0,
    port,
    home,
    hostKey,
    settings: { host: '127.0.0.1', port, key: join(home, '.ssh/id_ed25519') },
    env: { ...process.env, HOME: home, SSH_AUTH_SOCK: undefined },
    know,
    stop: async () => {
      await end(child);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

export function makeKey(path: string, more: readonly string[] = ['-t', 'ed25519', '-N', '']): string {
  execFileSync('ssh-keygen', ['-q', '-f', path, ...more]);
  return readFileSync(`${path}.pub`, 'utf8').split(' ').slice(0, 2).join(' ');
}

function configuration(
  { directory, home, port }: { readonly directory: string; readonly home: string; readonly port: number },
  more: readonly string[],
): string {
  return [
    ...more,
    'ListenAddress 127.0.0.1',
    `Port ${port}`,
    `HostKey ${directory}/host`,
    `PidFile ${directory}/pid`,
    `AuthorizedKeysFile ${directory}/authorized_keys`,
    // Above the directory stands /tmp, which others may write.
    'StrictModes no',
    'UsePAM no',
    'PasswordAuthentication no',
    'PermitRootLogin prohibit-password',
    // What the account's own shell files do does not belong to the tests.
    // Nor is systemd of this machine, if there is one.
    `SetEnv HOME=${home} XDG_RUNTIME_DIR=${directory}/none`,
    '',
  ].join('\n');
}

/** Root's own systemd is out of sight there, so that a host is the same on every machine. */
function withoutSystemd(sshd: readonly string[]): readonly string[] {
  if (process.getuid?.() !== 0 || !existsSync('/run/systemd/private')) return sshd;
  const hide = 'mount -t tmpfs tmpfs /run/systemd && exec "$@"';
  return ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', hide, 'sh', ...sshd];
}

function sshdPath(): string {
  return findCommand('sshd') ?? 'sshd';
}

async function listening(command: readonly string[], port: number): Promise<ChildProcess> {
  const child = spawn('setpriv', ['--pdeathsig', 'TERM', ...command], { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => (said = `${said}${chunk.toString()}`.slice(-4000)));
  for (let tries = 0; tries < 200; tries += 1) {
    if (child.exitCode !== null) break;
    if (await answers(port)) return child;
    await sleep(25);
  }
  await end(child);
  throw new Error(`sshd does not listen: ${said}`);
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false; // Not yet; the caller tries again and gives up in the end.
  } finally {
    socket.destroy();
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
