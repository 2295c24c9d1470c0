/** What front ends may ask about who may talk. */
import type { Audit } from '../audit/types.ts';
import type { Loaded } from '../config/types.ts';
import type { Store } from '../store/store.ts';
import { ruleFor } from './authorize.ts';
import { channelRulesOf, platformSections } from './channel-rules.ts';
import { conversationOf, type MessageOrigin } from './conversation.ts';
import { messagingCwd } from './cwd.ts';
import { decide, isForAgent } from './decide.ts';
import { PairingFiles } from './files.ts';
import { type Refusal, RefusalLog } from './log.ts';
import { checkId, checkMessage, checkPlaced, checkPlatform } from './names.ts';
import { Pairing } from './pairing.ts';
import { unknownPlatformError } from './refusals.ts';
import { lifeMs, type Paired, type Request } from './requests.ts';
import type { Hearing, Message, PairedView, PairingView, PendingView, Revoked } from './types.ts';

export interface AccessDependencies {
  readonly loaded: Loaded;
  readonly store: Store;
  readonly audit: Audit;
  /** `Date.now` unless given. */
  readonly nowMs?: () => number;
}

export class Access {
  readonly #loaded: Loaded;
  readonly #files: PairingFiles;
  readonly #pairing: Pairing;
  readonly #log: RefusalLog;

  constructor({ loaded, store, audit, nowMs = Date.now }: AccessDependencies) {
    this.#loaded = loaded;
    this.#files = new PairingFiles(loaded.home);
    this.#log = new RefusalLog(loaded.home, { store, nowMs });
    this.#pairing = new Pairing({ files: this.#files, store, audit, log: this.#log, nowMs });
  }

  async message(given: Message): Promise<Hearing> {
    const message = checkMessage(given);
    const { platform, from } = message;
    const { config, env } = this.#loaded;
    const cwd = messagingCwd(env, this.#loaded.home);
    const rules = channelRulesOf(platform, config, env);
    // For most of what is said in channels no file needs to be read.
    const rule = isForAgent(message, rules)
      ? ruleFor({ platform, ids: from.ids }, env, await this.#pairing.paired(platform))
      : 'none';
    const decision = decide(message, rules, rule);
    const hearing = decision === 'ask' ? await this.#offer(message) : decision;
    const why = refusedBy(hearing);
    if (why !== null) await this.#log.write({ what: 'message', why, ...senderOf(message) });
    return hearing.what === 'heard' && cwd !== null ? { ...hearing, cwd } : hearing;
  }

  /** A refusal that was decided before this room was asked. */
  async refused(refusal: Refusal): Promise<void> {
    await this.#log.write(refusal);
  }

  conversation(given: MessageOrigin): string {
    return conversationOf(checkPlaced(given), this.#loaded.config.group_sessions_per_user);
  }

  async list(): Promise<PairingView> {
    const platforms = await this.#files.platforms();
    const all = <T>(of: (platform: string) => Promise<readonly T[]>): Promise<T[]> =>
      Promise.all(platforms.map(of)).then((each) => each.flat());
    return {
      pending: await all(async (platform) =>
        (await this.#pairing.pending(platform)).map((each) => pendingView(platform, each)),
      ),
      paired: await all(async (platform) =>
        (await this.#files.approved(platform)).map((each) => pairedView(platform, each)),
      ),
      lockedOut: (await this.#pairing.lockouts()).map(({ platform, until }) => ({ platform, until: iso(until) })),
    };
  }

  async approve(platform: string, code: string, by: string): Promise<PairedView> {
    const name = await this.#known(platform);
    return pairedView(name, await this.#pairing.approve(name, code, by));
  }

  async revoke(platform: string, user: string, by: string): Promise<Revoked> {
    const name = await this.#known(platform);
    const paired = await this.#pairing.revoke(name, checkId(user), by);
    const asker = { platform: name, ids: paired.ids };
    return { user: pairedView(name, paired), still: ruleFor(asker, this.#loaded.env, new Set()) };
  }

  async clearPending(platform?: string): Promise<number> {
    return await this.#pairing.clear(
      platform === undefined ? await this.#files.platforms() : [await this.#known(platform)],
    );
  }

  /** A platform with a section in the configuration, or on which somebody has asked. Throws `not_found`. */
  async #known(platform: string): Promise<string> {
    const name = checkPlatform(platform);
    const known = [...platformSections, ...(await this.#files.platforms())];
    if (known.includes(name)) return name;
    throw unknownPlatformError(name, known);
  }

  async #offer({ platform, from }: Message): Promise<Hearing> {
    const asked = await this.#pairing.ask(platform, from);
    if (asked.code === null) return { what: 'ignored', why: asked.why };
    return { what: 'pair', code: asked.code, expiresAt: iso(asked.expiresAt) };
  }
}

/** `null`: it was heard, or it was not for the agent. */
function refusedBy(hearing: Hearing): Refusal['why'] | null {
  if (hearing.what === 'pair') return 'not-paired';
  return hearing.what === 'ignored' && hearing.why !== 'not-addressed' ? hearing.why : null;
}

function senderOf({ platform, from: { ids, name }, channel }: Message): Pick<Refusal, 'platform' | 'user'> {
  return {
    platform,
    user: ids,
    ...(name === undefined ? {} : { name }),
    ...(channel === null ? {} : { channel: channel.id }),
  };
}

function pendingView(platform: string, { id, ids, name, createdAt }: Request): PendingView {
  return { id, platform, ids, name, askedAt: iso(createdAt), expiresAt: iso(createdAt + lifeMs) };
}

function pairedView(platform: string, { ids, name, pairedAt, by }: Paired): PairedView {
  return { platform, ids, name, pairedAt: iso(pairedAt), by };
}

const iso = (ms: number): string => new Date(ms).toISOString();
