/** Whether the machine that answered is the one that was meant. Nothing is trusted on first use. */
import { CaissonError } from '../../src/errors.ts';
import { entriesFor, fingerprint, judgeKey, keyType, knownTypes, type KeyVerdict } from './known-hosts.ts';
import { readOrNothing, type Target } from './target.ts';

export interface HostKeys {
  /** For the negotiation: those of known keys first, so that the host shows one that we know if it has it. */
  readonly algorithms: readonly Algorithm[];
  /** Why the last key was refused. */
  readonly refusal: CaissonError | null;
  /** What the host has shown. */
  readonly shown: Shown | null;
  accepts(key: Buffer): boolean;
}

export interface Shown {
  readonly key: Buffer;
  readonly standing: KeyVerdict;
}

/** Signatures with SHA-1 (`ssh-rsa`, `ssh-dss`) are left out. */
const algorithms = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'rsa-sha2-512',
  'rsa-sha2-256',
] as const;
type Algorithm = (typeof algorithms)[number];

export async function openHostKeys(target: Target): Promise<HostKeys> {
  const texts = await Promise.all(
    target.knownHostsFiles.map(async (file) => ({ file, text: await readOrNothing(file) })),
  );
  const entries = texts.flatMap(({ file, text }) => entriesFor(text, target.knownAs, file));
  const types = new Set(knownTypes(entries));
  const isKnown = (name: Algorithm): boolean => types.has(name.startsWith('rsa-') ? 'ssh-rsa' : name);
  const found = {
    algorithms: [...algorithms.filter(isKnown), ...algorithms.filter((name) => !isKnown(name))],
    refusal: null as CaissonError | null,
    shown: null as Shown | null,
    accepts(key: Buffer): boolean {
      const standing = judgeKey(entries, key);
      found.shown = { key, standing };
      found.refusal = standing.verdict === 'known' ? null : hostKeyError(target, key, standing);
      return standing.verdict === 'known';
    },
  };
  return found;
}

const refusals: Readonly<Record<Exclude<KeyVerdict['verdict'], 'known'>, string>> = {
  revoked: 'shows a key that is revoked',
  changed: 'shows another key than the one that is known: someone may be in between, or the host was set up anew',
  'other-type': 'shows a key of a type that is not known of it',
  unknown: 'is not known: its key has never been confirmed',
  'authority-only':
    'is known by a certificate authority only (@cert-authority), and the library for ssh cannot check host certificates',
};

/** What a person may confirm: nothing that is known is replaced by it, and nothing that was revoked comes back. */
export function mayBeTrusted({ verdict }: KeyVerdict): boolean {
  return verdict === 'unknown' || verdict === 'authority-only';
}

function hostKeyError(target: Target, key: Buffer, standing: Exclude<KeyVerdict, { verdict: 'known' }>): CaissonError {
  const { verdict, places } = standing;
  const print = `${keyType(key)} ${fingerprint(key)}`;
  return new CaissonError('unauthenticated', `${target.label} ${refusals[verdict]} (${print})`, {
    details: { reason: `host-key-${verdict}`, fingerprint: fingerprint(key), known: places },
    remedy: remedyOf(target, key, standing),
  });
}

function remedyOf(target: Target, key: Buffer, { verdict, places }: Exclude<KeyVerdict, { verdict: 'known' }>): string {
  if (verdict === 'revoked') return `give the host a new key; the revocation stands in ${places.join(', ')}`;
  const type = keyType(key)
    .replace(/^ssh-/, '')
    .replace(/^ecdsa-.*/, 'ecdsa');
  const compare = `compare ${fingerprint(key)} with what \`ssh-keygen -lf /etc/ssh/ssh_host_${type}_key.pub\` prints on the host itself`;
  const trust = `\`${trustCommand(fingerprint(key))}\``;
  if (verdict === 'unknown' || verdict === 'authority-only') return `${compare}; if they agree: ${trust}`;
  const remove = `\`ssh-keygen -R '${target.knownAs}' -f FILE\` (${places.join(', ')})`;
  return `${compare}; only if they agree, take the former key out with ${remove}, then ${trust}`;
}

function trustCommand(print: string): string {
  return `caisson doctor ssh --trust --fingerprint ${print}`;
}
