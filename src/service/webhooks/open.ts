/** The webhooks of a configuration. Without any, nothing is loaded and nothing is written. */
import { toCaissonError } from '../../errors.ts';
import type { Config, Loaded } from '../../config/types.ts';
import { indexWebsites } from '../../network/websites.ts';
import type { Declared } from '../../redact/types.ts';
import type { Store } from '../../store/store.ts';
import { webhookKey } from '../../values/webhook.ts';
import type { Target } from './deliveries.ts';

export interface Webhooks {
  readonly notices: readonly string[];
  /** Never rejects. */
  readonly close: () => Promise<void>;
}

const everyEvent = ['approval.asked', 'approval.answered', 'sandbox.state', 'network.denied'] as const;

export async function openWebhooks({ config, env }: Loaded, store: Store): Promise<Webhooks> {
  const named = Object.entries(config.webhooks);
  const endpoints = named.map(([name, { events = everyEvent }]) => ({ name, events }));
  const failed = await store.outbox.setEndpoints(endpoints).then(() => null, toCaissonError);
  if (named.length === 0) return { notices: [], close: () => Promise.resolve() };
  const targets = named.flatMap(([name, { url, secret_env: variable }]): Target[] => {
    const key = webhookKey(env[variable] ?? '');
    return key === null ? [] : [{ name, url, key }];
  });
  const { Deliveries } = await import('./deliveries.ts');
  const { allow_private: allowPrivate, nat64_prefix: nat64Prefix } = config.network;
  const rules = { allowPrivate, nat64Prefix, env, websites: indexWebsites([]) };
  const urls = targets.map(({ url }) => url);
  const deliveries = new Deliveries({
    targets,
    store,
    sender: async () => (await import('./send.ts')).openSender(urls, rules),
  });
  const lost = failed === null ? await store.outbox.givenUp() : {};
  return {
    notices: [
      ...(failed === null ? [] : [`webhooks: ${failed.message}`]),
      ...withoutSecret(config.webhooks, targets),
      ...Object.entries(lost).map(
        ([name, count]) => `webhooks.${name}: ${count} events were given up in the last week`,
      ),
    ],
    close: async () => await deliveries.close().catch(() => undefined),
  };
}

function withoutSecret(webhooks: Config['webhooks'], targets: readonly Target[]): readonly string[] {
  return Object.entries(webhooks)
    .filter(([name]) => !targets.some((target) => target.name === name))
    .map(
      ([name, { secret_env: variable }]) =>
        `webhooks.${name}.secret_env names ${variable}, which holds no secret (whsec_ and 24 to 64 bytes as base64): its events wait`,
    );
}

/** For people: the path of an address may be a secret. */
export function shownWebhooks(webhooks: Config['webhooks']): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(webhooks).map(
      ([name, webhook]) => [name, { ...webhook, url: new URL(webhook.url).origin }] as const,
    ),
  );
}

/** Variables that are Caisson's alone. */
export const webhookVariables = (webhooks: Config['webhooks']): readonly string[] =>
  Object.values(webhooks).map(({ secret_env: variable }) => variable);

export const webhookSecrets = (webhooks: Config['webhooks'], env: Loaded['env']): readonly Declared[] =>
  webhookVariables(webhooks).flatMap((name) => {
    const value = env[name] ?? '';
    return value === '' ? [] : [{ name, value }];
  });
