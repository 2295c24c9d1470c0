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
  /^(?:true|false|null|none|nil|undefined|nan|yes|no|on|off|string|str|number|boolean|bool|int|integer|bytes|any|object|unknown|void|never|required|optional|hidden|redacted|masked|empty|missing|invalid|expired|enabled|disabled|default)$/i;
const maskedAlready = /^(?:[*.#-]+|x{3,})$/i;
const variable = /^(?:\$\{?\w+\}?|\$\(.*|\$\{\{.*|%\w+%)$/;
const lookup = /(?:^|\W)(?:environ|getenv|env\.get|process\.env|import\.meta\.env|secrets?\.[A-Z_]+)\b|^ENV\[/;
/** The first segment of a path has no digits, as random text would. */
const path = /^(?:~|\.{1,2})?\/(?:[A-Za-z._-]{1,24}(?:\/|$)|$)|^[A-Za-z]:[\\/]/;
const call = /^[A-Za-z_$][\w$.]*[([]/;
const identifiers = /^[A-Za-z_$]+(?:\.[A-Za-z_$]+)*$/;
const prose = /^[A-Z][a-z]* [a-z]+/;

export function isSecret(assigned: Assigned): boolean {
  const { value, name, quoted, constant } = assigned;
  if (value === '' || value.startsWith(redactedStart)) return false;
  if (saysNothing.test(value) || maskedAlready.test(value) || lookup.test(value) || path.test(value)) return false;
  if (variable.test(value) || (name !== 'password' && /^[$%<{]/.test(value))) return false;
  if (!quoted && call.test(value) && !(constant && name === 'password')) return false;
  if (constant && name !== 'weak') return name === 'password' || !/^\d{1,9}$/.test(value);
  return assigned.strict ? true : looksSecret(assigned);
}

function looksSecret(assigned: Assigned): boolean {
  const { value, name, quoted, tight } = assigned;
  if (name === 'weak') return value.length >= 16 && /\d/.test(value) && /[A-Za-z]/.test(value);
  if (quoted && prose.test(value)) return false;
  if (name === 'password') return quoted || tight || value.length >= 4;
  if (/^\d{1,9}$/.test(value)) return false;
  if (identifiers.test(value)) return (quoted || tight) && value.length >= 8 && !value.includes('.');
  return value.length >= 6 && !(quoted && value.includes(' '));
}
