/** The file of known host keys (sshd(8), SSH_KNOWN_HOSTS FILE FORMAT), and what it says about one key. Pure. */
import { createHash, createHmac } from 'node:crypto';
import { CaissonError } from '../../src/errors.ts';

interface Entry {
  readonly marker: 'none' | 'revoked' | 'cert-authority';
  /** Type of the key: `ssh-ed25519`. */
  readonly type: string;
  readonly key: Buffer;
  readonly place: string;
}

export type KeyVerdict =
  | { readonly verdict: 'known' }
  /** Entries of the host with a key of the same type, or of others: places for people. */
  | {
      readonly verdict: 'revoked' | 'changed' | 'other-type' | 'unknown' | 'authority-only';
      readonly places: string[];
    };

/** Entries of one host. Throws `failed_precondition` for a line that may revoke a key and cannot be understood. */
export function entriesFor(text: string, name: string, file: string): readonly Entry[] {
  return text.split('\n').flatMap((line, index) => {
    const place = `${file}:${index + 1}`;
    const words = line.trim().split(/\s+/);
    const marked = words[0]?.startsWith('@') === true;
    const marker = marked ? parseMarker(words[0] ?? '', place) : 'none';
    const [hosts = '', type = '', encoded = ''] = marked ? words.slice(1) : words;
    if (hosts === '' || hosts.startsWith('#')) return [];
    const key = Buffer.from(encoded, 'base64');
    if (keyType(key) !== type) {
      if (marker === 'revoked') throw knownHostsError(place);
      return [];
    }
    return hostMatches(hosts, name.toLowerCase()) ? [{ marker, type, key, place }] : [];
  });
}

/** A revoked key is refused wherever else it stands. */
export function judgeKey(entries: readonly Entry[], key: Buffer): KeyVerdict {
  const revoked = entries.filter((entry) => entry.marker === 'revoked' && entry.key.equals(key));
  if (revoked.length > 0) return { verdict: 'revoked', places: placesOf(revoked) };
  const plain = entries.filter(({ marker }) => marker === 'none');
  if (plain.some((entry) => entry.key.equals(key))) return { verdict: 'known' };
  const same = plain.filter(({ type }) => type === keyType(key));
  if (same.length > 0) return { verdict: 'changed', places: placesOf(same) };
  if (plain.length > 0) return { verdict: 'other-type', places: placesOf(plain) };
  const authorities = entries.filter(({ marker }) => marker === 'cert-authority');
  if (authorities.length > 0) return { verdict: 'authority-only', places: placesOf(authorities) };
  return { verdict: 'unknown', places: [] };
}

export function knownTypes(entries: readonly Entry[]): readonly string[] {
  return [...new Set(entries.filter(({ marker }) => marker === 'none').map(({ type }) => type))];
}

/** The fingerprint in the form that `ssh-keygen -l` prints. */
export function fingerprint(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** The first field of the key's own encoding (RFC 4253, 6.6); empty when it is not one. */
export function keyType(key: Buffer): string {
  if (key.length < 4) return '';
  const length = key.readUInt32BE(0);
  return length > 64 || key.length < 4 + length ? '' : key.subarray(4, 4 + length).toString('latin1');
}

function parseMarker(word: string, place: string): Entry['marker'] {
  if (word === '@revoked') return 'revoked';
  if (word === '@cert-authority') return 'cert-authority';
  throw knownHostsError(place);
}

function knownHostsError(place: string): CaissonError {
  return new CaissonError('failed_precondition', `${place} is marked, but cannot be understood`, {
    remedy: 'correct or remove that line: it may have been meant to revoke a key',
  });
}

function placesOf(entries: readonly Entry[]): string[] {
  return entries.map(({ place }) => place);
}

function hostMatches(hosts: string, name: string): boolean {
  if (hosts.startsWith('|')) return hashMatches(hosts, name);
  const patterns = hosts.toLowerCase().split(',');
  if (patterns.some((pattern) => pattern.startsWith('!') && matches(pattern.slice(1), name))) return false;
  return patterns.some((pattern) => matches(pattern, name));
}

/** `|1|SALT|HASH`: HMAC-SHA1 of the name, salted. */
function hashMatches(hashed: string, name: string): boolean {
  const [, version, salt = '', hash = ''] = hashed.split('|');
  if (version !== '1') return false;
  return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest().equals(Buffer.from(hash, 'base64'));
}

/** `*` is any text, `?` any one character; brackets and dots are themselves. */
function matches(pattern: string, name: string): boolean {
  const source = pattern
    .replaceAll(/[\\^$.|+()[\]{}]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${source}$`, 's').test(name);
}
