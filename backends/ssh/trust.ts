/** Asks hosts who they are, and remembers the key that a person has confirmed. No login is needed for that. */
import type { HostKey, Trust } from '../../src/backend.ts';
import { CaissonError, isCode } from '../../src/errors.ts';
import { untilAborted } from '../shared/abort.ts';
import { mayBeTrusted, openHostKeys } from './host-keys.ts';
import { Keyring } from './identity.ts';
import { fingerprint, keyType } from './known-hosts.ts';
import { rememberKey } from './known-hosts-file.ts';
import { greet, wireTo } from './login.ts';
import { reached } from './reached.ts';
import type { Target } from './target.ts';

export function trustIn(targets: () => Promise<readonly Target[]>): Trust {
  const ask = async (): Promise<readonly TrustQuestion[]> =>
    reached(await Promise.allSettled((await targets()).map(askOnTheWay)));
  return {
    look: async ({ signal } = {}) => distinct((await untilAborted(ask(), signal)).map(viewOf)),
    confirm: async (wanted, { signal } = {}) => {
      const found = (await untilAborted(ask(), signal)).find(({ target }) => target.label === wanted.host);
      if (found === undefined || fingerprint(found.key) !== wanted.fingerprint) throw keyNotShownError(wanted);
      if (found.refusal !== null && !found.mayBeTrusted) throw found.refusal;
      if (found.refusal !== null) await rememberKey(found.target, found.key);
    },
  };
}

interface TrustQuestion {
  readonly target: Target;
  readonly key: Buffer;
  /** `null`: the key is known. */
  readonly refusal: CaissonError | null;
  readonly mayBeTrusted: boolean;
}

/** The first host on the way whose key is not known, else the host itself. */
async function askOnTheWay(target: Target): Promise<TrustQuestion> {
  if (target.route.kind === 'jump') {
    const before = await askOnTheWay(target.route.over);
    if (before.refusal !== null) return before;
  }
  return await askHost(target);
}

/** The host shows its key before it learns anything of the client; no key is offered, so that it ends there. */
async function askHost(target: Target): Promise<TrustQuestion> {
  const hostKeys = await openHostKeys(target);
  try {
    const client = await greet(target, { hostKeys, authHandler: [], wire: await wireTo(target, new Keyring()) });
    client.end();
  } catch (error) {
    if (!isCode(error, 'unauthenticated')) throw error;
  }
  const { shown, refusal } = hostKeys;
  if (shown === null) throw new CaissonError('unavailable', `${target.label} showed no key`);
  return { target, key: shown.key, refusal, mayBeTrusted: mayBeTrusted(shown.standing) };
}

function viewOf({ target, key, refusal, mayBeTrusted: may }: TrustQuestion): HostKey {
  const standing = refusal === null ? 'known' : may ? 'unknown' : 'refused';
  return { host: target.label, type: keyType(key), fingerprint: fingerprint(key), standing, refusal };
}

function distinct(keys: readonly HostKey[]): readonly HostKey[] {
  return [...new Map(keys.map((key) => [key.host, key])).values()];
}

function keyNotShownError({ host, fingerprint: print }: Pick<HostKey, 'host' | 'fingerprint'>): CaissonError {
  return new CaissonError('conflict', `${host} does not show the key ${print}`, {
    details: { host, fingerprint: print },
    remedy: 'look again which key it shows, and compare it on the host itself',
  });
}
