/** Confirms keys of hosts that are not confirmed yet: by fingerprints that were given, or by a person on the terminal. */
import type { HostKey } from '../service/api.ts';
import { CaissonError } from '../errors.ts';
import { readLine } from './approver.ts';
import type { Context } from './context.ts';
import { escapeLine } from './escape.ts';
import type { CommandApi } from './world.ts';

export interface TrustRequest {
  readonly service: CommandApi;
  readonly backends: readonly string[];
  /** Fingerprints of keys, in the form that the hosts' own consoles print. */
  readonly fingerprints: readonly string[];
}

/** A chain of hosts shows its next one when the one before is known. */
const maxRounds = 16;

/** Resolves when every host shows a key that is known. */
export async function confirmKeys({ service, backends, fingerprints }: TrustRequest, context: Context): Promise<void> {
  const [backend, ...more] = backends;
  if (backend === undefined || more.length > 0) throw oneBackendError();
  const odd = fingerprints.find((print) => !/^SHA256:[A-Za-z0-9+/]{43}$/.test(print));
  if (odd !== undefined) throw fingerprintError(odd);
  for (let round = 0; round < maxRounds; round += 1) {
    const keys = await service.backends.hostKeys(backend, context.options);
    const refused = keys.find(({ standing }) => standing === 'refused');
    if (refused?.refusal) throw refused.refusal;
    const unknown = keys.filter(({ standing }) => standing === 'unknown');
    if (unknown.length === 0) return;
    for (const key of unknown) {
      if (!fingerprints.includes(key.fingerprint)) await ask(key, context);
      await service.backends.confirmHostKey(backend, key, context.options);
      context.notice(`${key.host} is known by its key ${key.fingerprint}`);
    }
  }
  throw new CaissonError('conflict', 'the hosts show another key each time they are asked', {
    remedy: 'several machines may answer under one name: give each a name of its own',
  });
}

async function ask(key: HostKey, { world, signal, clearStatus }: Context): Promise<void> {
  if (world.stdin.isTTY !== true || world.stderr.isTTY !== true) throw unconfirmedKeyError(key);
  clearStatus();
  world.stderr.write(
    [
      `${escapeLine(key.host)} shows a key that is not confirmed:`,
      `  ${escapeLine(key.type)} ${escapeLine(key.fingerprint)}`,
      'Compare it with what the host itself prints: `ssh-keygen -lf /etc/ssh/ssh_host_..._key.pub`',
      'Is it the same? [yes/N]: ',
    ].join('\n'),
  );
  const answer = await readLine(world.stdin, signal);
  if (answer?.trim().toLowerCase() === 'yes') return;
  throw new CaissonError('unauthenticated', `the key of ${key.host} was not confirmed, and nothing was written`, {
    details: { fingerprint: key.fingerprint },
  });
}

function unconfirmedKeyError({ host, fingerprint, refusal }: HostKey): CaissonError {
  return new CaissonError('unauthenticated', `${host} shows ${fingerprint}, and no person can confirm it`, {
    details: { fingerprint },
    remedy: refusal?.remedy ?? `add --fingerprint ${fingerprint}, or do it on a terminal`,
  });
}

function oneBackendError(): CaissonError {
  return new CaissonError('invalid_argument', '--trust is for the hosts of one backend', {
    remedy: 'caisson doctor ssh --trust',
  });
}

function fingerprintError(text: string): CaissonError {
  return new CaissonError('invalid_argument', `${JSON.stringify(text.slice(0, 80))} is no fingerprint`, {
    remedy: 'give it as `ssh-keygen -lf` prints it: SHA256: and 43 characters',
  });
}
