/** Which files are protected. */
export const rawDevice = /^\/dev\/(?:(?:sd|hd|vd|xvd|dasd)[a-z*?[\0]|nvme|mmcblk|r?disk\d|n?a?da\d|dm-|md\d|mtd|nbd\d|zd\d|pmem|block\/|mapper\/|zvol\/|vg\w*\/|disk\/by-|(?:mem|kmem|port)$)/;

const etc = /^\/etc(?:\/|$)/;
const sensitive = [
  /\/\.(?:ssh|gnupg|aws|kube|azure|docker)(?:\/|$)/,
  /\/\.config\/(?:gh|gcloud|fish|autostart|systemd)(?:\/|$)/,
  /\/\.(?:hermes|caisson)\/(?:\.env|config\.yaml|hooks|permissions\.yaml|mcp-tokens|pairing|sessions|audit|(?:state|caisson)\.db)/,
  /\/\.(?:bashrc|bash_profile|bash_login|bash_logout|bash_aliases|profile|zshrc|zprofile|zshenv|zlogin|kshrc|inputrc|netrc|pgpass|npmrc|pypirc|git-credentials|gitconfig)$/,
  /\/\.env(?:\.(?!example$|sample$|template$|dist$|bak$|backup$|old$|orig$)[^/]+)?$/,
  /\/\.envrc$/,
  /\/\.git\/(?:hooks(?:\/|$)|config$)/,
  /\/\.caisson\/permissions\.yaml$/,
  /^\/var\/lib\/caisson(?!\/sandboxes\/)(?:\/|$)/,
  /^\/proc\/sys/,
];
const projectConfig = /\/config\.yaml$/;

export type Protection = 'device' | 'etc' | 'sensitive';

export function protectionOf(path: string, relative: boolean): Protection | null {
  if (rawDevice.test(path)) return 'device';
  if (etc.test(path)) return 'etc';
  return sensitive.some((pattern) => pattern.test(path)) || (relative && projectConfig.test(path)) ? 'sensitive' : null;
}
