/** Which conversation a message belongs to. Pure. */
import { hash } from 'node:crypto';
import type { Message } from './types.ts';

export type MessageOrigin = Pick<Message, 'platform' | 'from' | 'channel'>;

const digits = 24;

/** Legal as the name of a task, whatever the ids are; the platform stands first, for patterns such as `slack-*`. */
export function conversationOf({ platform, from, channel }: MessageOrigin, perUser: boolean): string {
  const person = channel === null || perUser ? from.ids[0] : null;
  return `${platform}-${hash('sha256', JSON.stringify([channel?.id ?? null, person])).slice(0, digits)}`;
}
