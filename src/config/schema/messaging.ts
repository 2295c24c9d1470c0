/** Who may talk to an agent through a messenger, where the variables of the environment do not say it. */
import { z } from 'zod';
import { flagKey, key } from '../../lib/config-key.ts';

const maxChannels = 1000;
const channel = z.string().regex(/^[^\s,\0]{1,128}$/);

const behavior = z.enum(['pair', 'ignore']).nullable();
const expectsBehavior = 'pair, ignore or null';

export const strangersKey = key(
  behavior,
  expectsBehavior,
  'What strangers get who write to the agent directly: a pairing code, or no answer. null: ignore where a list of users is configured, else pair.',
);

export const groupSessionsKey = flagKey('Give each person in a channel a conversation of their own.');

const strangersHere = key(behavior, expectsBehavior, 'The same for this platform alone. null: as for all of them.');

export const platformSection = z.strictObject({ unauthorized_dm_behavior: strangersHere });

export const discordSection = z.strictObject({
  unauthorized_dm_behavior: strangersHere,
  require_mention: flagKey('In channels, hear only messages that mention the agent.'),
  free_response_channels: key(
    z.union([z.string().max(maxChannels * 32), z.array(channel).max(maxChannels)]),
    'ids of channels in quotes, separated by commas or as a list',
    'Channels in which no mention is needed.',
  ),
  auto_thread: flagKey('Answer a mention in a thread of its own.'),
});
