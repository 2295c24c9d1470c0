/**
 * Which host paths may be bound into a sandbox. Links are resolved first; what they lead to is then compared by
 * segments. What is refused here could hand the host, its secrets or Caisson's own state to a sandbox.
 */
import { realpathSync, statSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';
import type { Mount } from '../backend.ts';
import { CaissonError } from '../errors.ts';
import type { HostPlaces } from './host-places.ts';
import { canonicalPath, insideProblem, isWithin, pathProblem } from '../values/paths.ts';

export interface MountRules extends HostPlaces {
  readonly stateDirectory: string;
}

const systemTrees = [
  ...['/bin', '/boot', '/dev', '/etc', '/lib', '/lib32', '/lib64', '/libx32', '/proc', '/run', '/sbin', '/sys'],
  ...[
    '/usr/bin',
    '/usr/lib',
    '/usr/lib32',
    '/usr/lib64',
    '/usr/libexec',
    '/usr/local',
    '/usr/sbin',
    '/usr/share',
    '/var/log',
    '/var/run',
    '/var/spool',
  ],
  ...[
    '/var/lib/docker',
    '/var/lib/containerd',
    '/var/lib/containers',
    '/var/lib/kubelet',
    '/var/lib/dpkg',
    '/var/lib/rpm',
  ],
];

const secretTrees = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.config/gcloud',
  '.config/gh',
  '.password-store',
  '.netrc',
  '.git-credentials',
  '.npmrc',
  '.pypirc',
  '.claude',
  '.codex',
  '.cargo/credentials.toml',
  '.vault-token',
  '.mozilla',
  '.config/rclone',
  '.config/op',
  '.config/google-chrome',
  '.config/chromium',
  '.local/share/keyrings',
  // What lies there runs later, outside of any sandbox.
  '.config/systemd/user',
  '.config/autostart',
  '.local/bin',
];

/**
 * The mount with its source resolved. Throws `invalid_argument` with the reason. It looks at the file system at once and
 * without waiting, so that no spec is built without a check of its mounts.
 */
export function checkMount(mount: Mount, rules: MountRules): Mount {
  const textProblem =
    pathProblem(mount.source) ??
    colonProblem(mount.source) ??
    colonProblem(mount.target) ??
    targetProblem(mount.target);
  if (textProblem !== null) throw mountError(mount, textProblem);
  const source = resolved(mount);
  const problem = typeProblem(statSync(source)) ?? placeProblem(source, rules);
  if (problem !== null) throw mountError(mount, problem);
  return { source, target: canonicalPath(mount.target), readOnly: mount.readOnly };
}

/** Why a real path may not be bound, or `null`. Pure. */
export function placeProblem(real: string, rules: MountRules): string | null {
  if (real === '/') return 'it is the root of the host';
  const state = canonicalPath(rules.stateDirectory);
  if (isWithin(real, state) || isWithin(state, real))
    return 'it is, contains or lies in the state directory of Caisson';
  const system = systemTrees.find((tree) => isWithin(real, tree) || isWithin(tree, real));
  if (system !== undefined) return `it is, contains or lies in a system directory (${system})`;
  return socketProblem(real, rules) ?? homeProblem(real, rules);
}

/** A directory beside the socket is refused as well: the server of that socket may create others there. */
function socketProblem(real: string, { sockets }: HostPlaces): string | null {
  const socket = sockets.find((path) => isWithin(path, real) || isWithin(real, dirname(path)));
  return socket === undefined ? null : `it is, contains or lies beside ${socket}, a socket of an engine or a key agent`;
}

function homeProblem(real: string, { homes }: HostPlaces): string | null {
  const home = homes.find((one) => isWithin(one, real));
  if (home !== undefined)
    return `it is or contains the home directory ${home}, which holds secrets or programs of the user`;
  const secrets = homes.flatMap((one) => secretTrees.map((tree) => `${one}/${tree}`));
  const secret = secrets.find((tree) => isWithin(real, tree) || isWithin(tree, real));
  return secret === undefined ? null : `it is, contains or lies in ${secret}, which holds secrets`;
}

function resolved(mount: Mount): string {
  try {
    return realpathSync(mount.source);
  } catch (error) {
    throw mountError(mount, 'it cannot be found', error);
  }
}

function typeProblem(found: Stats): string | null {
  return found.isDirectory() || found.isFile() ? null : 'it is neither a directory nor a regular file';
}

/** Engines and tools write mounts as `source:target:mode`. */
function colonProblem(path: string): string | null {
  return path.includes(':') ? 'it must not hold ":"' : null;
}

function targetProblem(target: string): string | null {
  const problem = insideProblem(target);
  if (problem !== null) return `its target is refused: ${problem}`;
  return canonicalPath(target) === '/' ? 'its target is refused: it must not be the root' : null;
}

export function mountError(mount: Mount, problem: string, cause?: unknown): CaissonError {
  const source = mount.source.slice(0, 256);
  return new CaissonError('invalid_argument', `${JSON.stringify(source)} cannot be mounted: ${problem}`, {
    cause,
    details: { source, target: mount.target.slice(0, 256) },
    remedy: 'start from a project directory of its own, or copy the files in',
  });
}
