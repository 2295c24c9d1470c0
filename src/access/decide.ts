/** What becomes of a message. Pure. */
import type { ChannelRules } from './channel-rules.ts';
import type { Hearing, Message, Rule } from './types.ts';

/** Messages in a channel that do not address the agent are ignored, whatever user sends them. */
export function isForAgent({ channel, addressed }: Message, { requireMention, freeChannels }: ChannelRules): boolean {
  if (channel === null || addressed !== null || !requireMention) return true;
  return freeChannels.has(channel.id) || (channel.parent !== undefined && freeChannels.has(channel.parent));
}

/** `ask`: its sender may have a code. Only who writes directly: in a channel others would read it. */
export function decide(message: Message, rules: ChannelRules, rule: Rule): Hearing | 'ask' {
  if (!isForAgent(message, rules)) return { what: 'ignored', why: 'not-addressed' };
  if (rule !== 'none') return { what: 'heard', rule, answer: opensThread(message, rules) ? 'thread' : 'here' };
  return message.channel === null && rules.strangers === 'pair' ? 'ask' : { what: 'ignored', why: 'not-allowed' };
}

function opensThread({ channel, addressed }: Message, { autoThread }: ChannelRules): boolean {
  return autoThread && channel !== null && channel.parent === undefined && addressed === 'mention';
}
