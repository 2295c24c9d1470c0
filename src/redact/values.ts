/** Whether what is assigned to a secret's name is a secret, or says where one comes from. Values are bounded already. */
import type { NameClass } from './names.ts';
import { redactedStart } from './tally.ts';

/** How name and value stand together. */
export interface Assigned {
  readonly name: NameClass;
  readonly value: string;
  readonly quoted: boolean;
  /** `NAME=value`, as in an environment. */
  readonly constant: boolean;
  /** `name=value`: an equals sign without spaces, as in a query. */
  readonly tight: boolean;
  readonly strict: boolean;
}

const saysNothing =
  /^(?:true|false|null|none|nil|undefined|nan|yes|no|on|off|string|str|number|boolean|bool|int|integer|bytes|any|object|unknown|void|never|required|optional|hidden|redacted|masked|empty|missing|invalid|expired|enabled|disabled|default|same-origin|include|omit)$/i;
const maskedAlready = /^(?:[*.#-]+|x{3,})$/i;
const variable = /^(?:\$\{?[\w.]+\}?|\$\(.*|\$\{\{.*|%\w+%)$/;
const lookup = /(?:^|\W)(?:environ|getenv|env\.get|process\.env|import\.meta\.env|secrets?\.[A-Z_]+)\b|^ENV\[/;
/** The first segment of a path has no digits, as random text would. */
const path = /^(?:~|\.{1,2})?\/(?:[A-Za-z._-]{1,24}(?:\/|$)|$)|^[A-Za-z]:[\\/]/;
const call = /^!*[A-Za-z_$][\w$.:?]*[([]/;
const identifiers = /^[A-Za-z_$]+(?:_\d)?(?:\.[A-Za-z_$]+)*$/;
/** Types of source text stand behind a colon, as values of YAML do. */
const typeName =
  /^(?:[A-Z][a-z]+){2,}$|^[A-Z][A-Za-z0-9]*(?:Array|Buffer|Client|Credentials?|Key|Like|Options|Pair|String|Token|Type)$/;
const prose = /^[A-Z][a-z]* [a-z]+/;
/** Words with which a sentence goes on: `Password: must be long`, `pwd: error retrieving current directory`. */
const wordOfSentence =
  /^(?:a|an|and|are|as|at|authentication|be|by|can|cannot|could|does|enter|error|failed|field|for|from|has|have|how|if|in|input|is|it|may|more|must|need|needs|new|not|of|old|one|or|permission|please|see|set|should|show|that|the|this|to|too|use|value|was|what|when|will|with|you|your)$/i;
/** A placeholder for the reader to fill in: `YOUR_TOKEN`, `{{ password }}`, `(sensitive value)`. */
const placeholder = /^(?:<[^>]*>?$|\{\{|\(|your[ _-]|urn:|\/\^|![A-Za-z_$]+$)/i;
/** Source text that passes a value on: `self.password = password`, `token = self.token`. */
const passedOn = /^(?:[A-Za-z_]\w*\.)*\w*(?:password|passwd|pwd|passphrase|token|secret|key|credentials?)$/i;

/** What is asked last reads all of a value; in most that hold no secret, the beginning tells so. */
export function isSecret(assigned: Assigned): boolean {
  return mayBeSecret(assigned) && !lookup.test(assigned.value);
}

function mayBeSecret(assigned: Assigned): boolean {
  const { value, name, quoted, constant } = assigned;
  if (value === '' || (value.startsWith('[') && value.startsWith(redactedStart))) return false;
  // Most names with `key` are those of no secret: this is asked first, since it tells most of them.
  if (name === 'weak' && !assigned.strict && !looksRandom(value)) return false;
  if ((name !== 'password' && /^[$%<{]/.test(value)) || standsForAnother(value)) return false;
  if (!constant && (placeholder.test(value) || (!quoted && wordOfSentence.test(value)))) return false;
  if (!quoted && call.test(value) && !(constant && name === 'password')) return false;
  if (constant && name !== 'weak' && name !== 'brief') return name === 'password' || !/^\d{1,9}$/.test(value);
  return assigned.strict ? true : looksSecret(assigned);
}

/** Nothing, what was masked before, and where a value comes from. */
function standsForAnother(value: string): boolean {
  if (saysNothing.test(value) || maskedAlready.test(value) || variable.test(value)) return true;
  return path.test(value) && !isRandom(value);
}

function looksSecret(assigned: Assigned): boolean {
  const { value, name, quoted, tight } = assigned;
  if (!quoted && !tight && isExpression(assigned)) return false;
  if (name === 'weak') return true;
  if (quoted && prose.test(value)) return false;
  if (name === 'brief') return (quoted || tight) && !/^(?:\d+|ok)$/i.test(value);
  if (name === 'password') return quoted || tight || value.length >= 4;
  if (/^\d{1,9}$/.test(value)) return false;
  if (identifiers.test(value)) return (quoted || tight) && value.length >= 8 && !value.includes('.');
  return value.length >= 6 && !(quoted && value.includes(' '));
}

/** All that counts behind a name that may be that of a secret and of many other things. */
function looksRandom(value: string): boolean {
  return isBasic(value) || (value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value));
}

function isExpression({ value, name }: Assigned): boolean {
  return typeName.test(value) || passedOn.test(value) || (name === 'weak' && identifiers.test(value));
}

/** Letters of both cases all over: a key may begin with a slash as well. */
function isRandom(value: string): boolean {
  return !value.includes('.') && /(?:[A-Z][^A-Z]*){6}/.test(value) && /(?:[a-z][^a-z]*){6}/.test(value);
}

/** RFC 7617: `user:password` in base64, as `_auth` and Docker's `auth` have it. */
function isBasic(value: string): boolean {
  if (!/^[A-Za-z0-9+/]{8,}={0,2}$/.test(value)) return false;
  return /^[\x21-\x7e]+:[\x20-\x7e]+$/.test(Buffer.from(value, 'base64').toString('latin1'));
}
