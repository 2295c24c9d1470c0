/**
 * Files that no agent has a reason to write: who writes them has the account, or decides what happens next. Judged by path
 * alone; the caller follows links first. Sources: the write rules of the documentation (deny list, other profiles,
 * mirrors in sandboxes), and CVE-2026-25725 for files that do not exist yet.
 */

export interface HomeDirectories {
  /** The user's home directory on this host. */
  readonly userHome: string;
  /** The state directory: of the active profile, where there are several. */
  readonly home: string;
}

/**
 * `protected`: file tools refuse, commands are asked about. `cross-profile`, `sandbox-mirror` and `repository` (what git
 * runs on this host): somebody has to confirm that it is meant.
 */
export interface Protection {
  readonly kind: 'protected' | 'cross-profile' | 'sandbox-mirror' | 'repository';
  readonly description: string;
}

const inUserHome = [
  /^\.(?:ssh|aws|gnupg|kube|docker|azure)(?:\/|$)/,
  /^\.config\/(?:gh|gcloud)(?:\/|$)/,
  /^\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zprofile|zshenv|zlogin)$/,
  /^\.(?:netrc|git-credentials|pgpass|npmrc|pypirc|gitconfig)$/,
  /^\.(?:hermes|caisson)\/(?:config\.yaml|\.env|state\.db|caisson\.db|mcp-tokens|pairing|sessions|audit|hooks-accepted\.json)/,
];
const onSystem = [
  /^\/etc\/(?:sudoers|passwd|shadow|gshadow|group)$/,
  /^\/etc\/(?:sudoers\.d|systemd|pam\.d|cron[^/]*)(?:\/|$)/,
];

const mirror = /\/sandboxes\/[^/]+\/[^/]+\/home\/\.(?:hermes|caisson)(?:\/|$)/;
const areas = '(skills|plugins|cron|memories)';
const profileArea = new RegExp(`^profiles/([^/]+)/${areas}(?:/|$)`);

/** `path`: absolute and normal. `null`: nothing is known against it. */
export function protectionOf(path: string, surroundings: HomeDirectories): Protection | null {
  if (mirror.test(path))
    return { kind: 'sandbox-mirror', description: 'a copy in a sandbox, not the configuration that holds here' };
  return crossProfile(path, surroundings.home) ?? denied(path, surroundings) ?? repository(path);
}

function repository(path: string): Protection | null {
  return /\/\.git\/(?:hooks(?:\/|$)|config$)/.test(path)
    ? { kind: 'repository', description: 'hooks or configuration of a repository, which git runs on this host' }
    : null;
}

/** Protection of a path in a container: the state of an agent in the home directory there is a copy that has no effect outside. */
export function mirrorInside(path: string): Protection | null {
  return /^\/(?:root|home\/[^/]+)\/\.(?:hermes|caisson)(?:\/|$)/.test(path)
    ? { kind: 'sandbox-mirror', description: 'a copy in the sandbox, not the configuration that holds outside' }
    : null;
}

/** Whether anything below a path in a sandbox, without a slash at its end, may be such a copy. */
export function leadsToMirror(path: string): boolean {
  return mirrorInside(path) !== null || /^\/?(?:|root|home(?:\/[^/]+)?)$/.test(path);
}

function denied(path: string, { userHome, home }: HomeDirectories): Protection | null {
  const own = below(path, home);
  if (own !== null && !/^(?:sandboxes|profiles)(?:\/|$)/.test(own))
    return { kind: 'protected', description: 'the state and configuration of Caisson' };
  const inHome = below(path, userHome);
  if (inHome !== null && inUserHome.some((pattern) => pattern.test(inHome)))
    return { kind: 'protected', description: `a protected file of the account: ~/${inHome}` };
  return onSystem.some((pattern) => pattern.test(path))
    ? { kind: 'protected', description: `a protected file of the system: ${path}` }
    : null;
}

/** `<base>/profiles/<name>` is a profile; `<base>` itself is the one called default. */
function crossProfile(path: string, home: string): Protection | null {
  const [, base = home, active = 'default'] = /^(.*)\/profiles\/([^/]+)$/.exec(home) ?? [];
  const inBase = below(path, base);
  if (inBase === null) return null;
  const [, named, area] = profileArea.exec(inBase) ?? [];
  const [, defaultArea] = new RegExp(`^${areas}(?:/|$)`).exec(inBase) ?? [];
  const target = named ?? (defaultArea === undefined ? undefined : 'default');
  if (target === undefined || target === active) return null;
  const description = `${area ?? defaultArea} of the profile ${target}, and the active one is ${active}`;
  return { kind: 'cross-profile', description };
}

/** The part of the path in the directory; empty for the directory itself. */
function below(path: string, directory: string): string | null {
  const root = directory.endsWith('/') ? directory : `${directory}/`;
  if (path === directory) return '';
  return path.startsWith(root) ? path.slice(root.length) : null;
}
