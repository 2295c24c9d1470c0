/** Names that come from outside: they become names of files and of variables, and are shown to people. */
import { CaissonError } from '../errors.ts';
import type { MessageOrigin } from './conversation.ts';
import type { Channel, Message, Sender } from './types.ts';

const platformForm = /^[a-z][a-z0-9_]{0,31}$/;
/** `GATEWAY_ALLOWED_USERS` is about all platforms. */
const reserved = 'gateway';
const maxIds = 8;
const maxUnits = 256;
const maxNameUnits = 64;

export function isPlatform(name: string): boolean {
  return platformForm.test(name) && name !== reserved;
}

/** Throws `invalid_argument`. */
export function checkPlatform(name: unknown): string {
  if (typeof name === 'string' && isPlatform(name)) return name;
  throw new CaissonError('invalid_argument', `${shown(name)} cannot be the name of a platform`, {
    remedy: 'name it in lower case, by letters, digits and underscores, as in telegram',
  });
}

/** Without spaces around them, so that they compare exactly. Throws `invalid_argument`. */
export function checkMessage({ addressed, ...placed }: Message): Message {
  return { ...checkPlaced(placed), addressed: addressed === 'mention' || addressed === 'command' ? addressed : null };
}

/** Checks all that says where a message was written, and by whom. Throws `invalid_argument`. */
export function checkPlaced({ platform, from, channel }: MessageOrigin): MessageOrigin {
  return {
    platform: checkPlatform(platform),
    from: checkSender(from),
    channel: channel === null ? null : checkChannel(channel),
  };
}

export function checkId(id: unknown): string {
  const trimmed = typeof id === 'string' ? id.trim() : '';
  if (trimmed !== '' && trimmed.length <= maxUnits && !/\p{Cc}/u.test(trimmed)) return trimmed;
  throw new CaissonError('invalid_argument', `${shown(id)} cannot be an id of a user or channel`, {
    remedy: `give it as a text of at most ${maxUnits} characters, as the platform has it`,
  });
}

function checkSender({ ids, name }: Sender): Sender {
  if (!Array.isArray(ids) || ids.length > maxIds)
    throw new CaissonError('invalid_argument', `a sender has a list of 1 to ${maxIds} ids`);
  const [first, ...others] = ids.map(checkId);
  const own = typeof name === 'string' ? plain(name) : '';
  return { ids: [checkId(first), ...others], ...(own === '' ? {} : { name: own }) };
}

function checkChannel({ id, parent }: Channel): Channel {
  return { id: checkId(id), ...(parent === undefined ? {} : { parent: checkId(parent) }) };
}

/** A stranger chose it: nothing in it may act on a terminal, or turn the text around it. */
function plain(name: string): string {
  const visible = name.slice(0, maxNameUnits * 4).replaceAll(/\p{C}/gu, '');
  return [...visible].slice(0, maxNameUnits).join('').trim();
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 64)) : `a value of type ${typeof value}`;
}
