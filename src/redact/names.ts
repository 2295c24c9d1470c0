/** Which names are those of secrets. Whole words count, so that keyboard, secretary and passage do not. */

/**
 * `password`: any value may be one. `brief`: also what a test does, so that only what is set counts. `secret`: what looks
 * like a value of a program does not count. `weak`: only what looks random is one.
 */
export type NameClass = 'password' | 'brief' | 'secret' | 'weak';

const passwords = words('password passwd pwd passphrase passcode passwort psk');
const secrets = words(
  'secret token apikey secretkey accesskey privatekey authkey sharedkey masterkey signingkey encryptionkey accountkey credential credentials jwt',
);
/** Words that are written together with another before them: `PGPASSWORD`, `authtoken`, `clientsecret`. */
const compounds = /(?:password|passwd|passphrase|passwort)$/;
const secretCompounds = /(?:secret|token|apikey|credentials?)$/;
const plurals = /^(?:passwords|secrets|tokens|apikeys)$/;
/** A key of these opens something; any other is a key of a map or a keyboard. */
const keyKinds = words(
  'api access secret private encryption encrypt signing sign auth account service master shared client license licence deploy storage admin bot webhook app',
);
/** They say that it is meant for everybody, or counts something. */
const harmless = words(
  'public publishable idempotency max min num number total page next prev previous continuation pagination sort primary foreign partition cache unique group row column no',
);
/** `hasApiKey`, `requiresToken`: it is or it is not. */
const questions = words('is has needs requires');
/** What a secret has, beside its value. */
const attributes = words(
  'id ids name names file filename path dir directory url uri type kind count length len size limit limits expiry expires expiration ttl version algorithm alg format prefix suffix header field var env ref index helper store provider method mode enabled required endpoint policy hint label description prompt help manager class usage budget sock socket ring board map status state valid ratio rate price cost close open raw pos position offset start end',
);

/** The words of one text repeat. */
const known = new Map<string, NameClass | null>();
const maxKnown = 1024;

export function classify(name: string): NameClass | null {
  const before = known.get(name);
  if (before !== undefined) return before;
  if (known.size >= maxKnown) known.clear();
  const found = classOf(name);
  known.set(name, found);
  return found;
}

function classOf(name: string): NameClass | null {
  const parts = split(name);
  const last = parts.at(-1);
  if (last === undefined || parts.some((part) => harmless.has(part))) return null;
  if (questions.has(parts[0] ?? '') && parts.length > 1) return null;
  if (attributes.has(last)) return last === 'id' && parts.at(-2) === 'secret' ? 'weak' : null;
  const isBrief = last === 'pass' || last === 'pw';
  if (parts.some((part) => passwords.has(part) || compounds.test(part)) || (isBrief && parts.length > 1))
    return 'password';
  if (isBrief) return 'brief';
  if (parts.some((part) => secrets.has(part) || secretCompounds.test(part))) return 'secret';
  if (plurals.test(last)) return 'weak';
  const key = parts.lastIndexOf('key');
  if (key >= 0) return keyKinds.has(parts[key - 1] ?? '') || isConstant(name, parts) ? 'secret' : 'weak';
  return parts.includes('auth') || parts.includes('bearer') ? 'weak' : null;
}

/** Whether a name has the form of a variable of the environment: `STRIPE_KEY`. */
function isConstant(name: string, parts: readonly string[]): boolean {
  return parts.length > 1 && /^[A-Z0-9_]+$/.test(name);
}

/** `clientSecret`, `client-secret`, `CLIENT_SECRET` and `client.secret` have the same words. */
function split(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((part) => part.replace(/^(.*(?:pass|passwd|password|pwd|pw|secret|token|key))\d{1,2}$/, '$1'))
    .filter((part) => part !== '');
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}
