/**
 * Lists of hosts by name, so that rules need not spell them out. Data. Registries of packages are patterns of their whole domain, since
 * their hosts change; a domain where anyone can leave text without an account (a pastebin, a playground, the popularity contest of
 * Debian) is in no list.
 */

export type Presets = Readonly<Record<string, readonly string[]>>;

export const presets: Presets = {
  github: [
    'github.com',
    'api.github.com',
    'codeload.github.com',
    'gist.github.com',
    'raw.githubusercontent.com',
    'objects.githubusercontent.com',
    'release-assets.githubusercontent.com',
    'github-cloud.githubusercontent.com',
  ],
  gitlab: ['gitlab.com'],
  npm: ['*.npmjs.org'],
  python: ['pypi.org', '*.pythonhosted.org'],
  cargo: ['*.crates.io'],
  maven: ['*.maven.org', '*.maven.apache.org'],
  debian: [
    'deb.debian.org',
    '*.deb.debian.org',
    'security.debian.org',
    'archive.debian.org',
    'snapshot.debian.org',
    'ftp.debian.org',
  ],
  alpine: ['*.alpinelinux.org'],
};

/** Names of `presets`, for checks that want a list. */
export const presetNames: readonly [string, ...string[]] = [
  'github',
  'gitlab',
  'npm',
  'python',
  'cargo',
  'maven',
  'debian',
  'alpine',
];
