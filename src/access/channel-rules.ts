/** How the agent conducts itself on a platform: what of the configuration counts there. Pure. */
import type { Config } from '../config/types.ts';
import { type Environment, hasAllowlist, idsIn } from './authorize.ts';

export interface ChannelRules {
  /** What strangers get who write directly. */
  readonly strangers: 'pair' | 'ignore';
  /** In channels. */
  readonly requireMention: boolean;
  /** Channels in which no mention is needed. */
  readonly freeChannels: ReadonlySet<string>;
  readonly autoThread: boolean;
}

/** Rules of a platform without settings for channels: heard is what is said to the agent, and answered where it was said. */
const inChannels = { requireMention: true, freeChannels: new Set<string>(), autoThread: false };

export function channelRulesOf(platform: string, config: Config, env: Environment): ChannelRules {
  const said = ownBehavior(platform, config) ?? config.unauthorized_dm_behavior;
  const strangers = said ?? (hasAllowlist(platform, env) ? 'ignore' : 'pair');
  if (platform !== 'discord') return { strangers, ...inChannels };
  const { require_mention: requireMention, auto_thread: autoThread, free_response_channels: free } = config.discord;
  return { strangers, requireMention, autoThread, freeChannels: idsIn(typeof free === 'string' ? free : free.join()) };
}

/** Platforms that have a section in the configuration. */
export const platformSections = ['discord', 'email', 'mattermost', 'signal', 'slack', 'telegram', 'whatsapp'] as const;

/** `null`: nothing is said about it; a platform that has no section has no say. */
function ownBehavior(platform: string, config: Config): Config['unauthorized_dm_behavior'] {
  const own = platformSections.find((name) => name === platform);
  return own === undefined ? null : config[own].unauthorized_dm_behavior;
}
