/** What lies on this host and must not get into a sandbox, wherever its users and services put it. */
import { readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';

export interface HostPlaces {
  /** Home directories of people on this host: they hold secrets. */
  readonly homes: readonly string[];
  /** Sockets that give power over this host, or act for a user: those of engines and of key agents. */
  readonly sockets: readonly string[];
}

const firstUserId = 1000;
const engineSocket =
  /\/(?:docker|podman|containerd|crio|buildkitd)[\w.-]*\.sock$|\/ssh-\w+\/agent\.\d+$|\/S\.gpg-agent[\w.]*$/;

/** `env`: where the caller's own engine and agent are named. What cannot be read adds nothing. */
export function hostPlaces(env: Readonly<Record<string, string | undefined>>): HostPlaces {
  const named = [env['DOCKER_HOST'], env['CONTAINER_HOST'], env['SSH_AUTH_SOCK']].flatMap(socketPath);
  const home = env['HOME'] ?? homedir();
  return {
    homes: [...new Set([home, homedir(), ...peopleIn(textOf('/etc/passwd'))])],
    sockets: [...new Set([...named, ...listening(textOf('/proc/net/unix'))].flatMap((path) => [path, real(path)]))],
  };
}

/** Homes of root and of the users that people have; services have homes such as /var/www, which are left out. */
export function peopleIn(passwd: string): readonly string[] {
  return passwd.split('\n').flatMap((line) => {
    const [, , uid, , , home = ''] = line.split(':');
    const id = Number(uid);
    return (id === 0 || id >= firstUserId) && /^\/[^/]/.test(home) && home !== '/nonexistent' ? [home] : [];
  });
}

/** Sockets of engines and agents that any user of this host listens on, read from the text of `/proc/net/unix`. */
export function listening(table: string): readonly string[] {
  return table.split('\n').flatMap((line) => {
    const path = /^\S+: (?:\S+ ){5}\s*\d+ (\/.*)$/.exec(line)?.[1];
    return path !== undefined && engineSocket.test(path) ? [path] : [];
  });
}

function socketPath(address: string | undefined): readonly string[] {
  const path = address?.replace(/^unix:\/\//, '') ?? '';
  return path.startsWith('/') ? [path] : [];
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
