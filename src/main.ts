/** The composition root: the only place that knows which store, which backends and which builder there are. */
import { join, resolve } from 'node:path';
import { backends, usual } from '../backends/index.ts';
import type { BackendConfig } from './backend.ts';
import { systemClock } from './lib/clock.ts';
import { keptIn } from './lib/kept.ts';
import { Caisson, type ImageBuilder } from './service/caisson.ts';
import type { ConfigFile, ConfigView, SettingsApi } from './service/api.ts';
import type { EgressInput, OpenInput } from './service/open.ts';
import { allowedTo } from './config/owners.ts';
import type { Loaded } from './config/types.ts';
import { type Guard, openGuard, openRules } from './guard/open.ts';
import { SkillGuard } from './guard/skills/skills.ts';
import { markHome } from './service/admin/home-identity.ts';
import { openAudit } from './audit/open.ts';
import { approvalsOf } from './service/admin/approvals.ts';
import type { Origin } from './service/exec/provision.ts';
import { serverSecrets } from './service/admin/secrets.ts';
import { type Journal, openJournal } from './journal/journal.ts';
import { LaneTally } from './exec/lane/tally.ts';
import type { Context } from './sandbox/context.ts';
import { wayOutBy } from './egress/ways.ts';
import { refreshNetworks } from './sandbox/kept.ts';
import { permitting } from './service/network/permit.ts';
import { fillIndex } from './service/exec/reindex.ts';
import { Budgets } from './budget/budgets.ts';
import { Pool } from './pool/pool.ts';
import { Gate } from './sandbox/gate.ts';
import { withConfigFile } from './sandbox/lease.ts';
import { Uses } from './sandbox/use.ts';
import { forwardedNames, inheritsHost, valueOf } from './plan/backend-keys.ts';
import { Backends } from './sandbox/backends.ts';
import { reloader } from './service/admin/reload.ts';
import { configLook, configView } from './service/admin/config.ts';
import { configured, type Configured, configuredAgain, type Input, inputOf } from './service/admin/configured.ts';
import { Edits } from './service/admin/edits.ts';
import { fileOf, openFile } from './service/admin/open-config-file.ts';
import { networkOf } from './service/admin/network.ts';
import { openingNotices, settingNotices } from './service/admin/notices.ts';
import { refusalsIn } from './network/refusals.ts';
import { registryVariables } from './sandbox/registry-access.ts';
import { releasing } from './service/release.ts';
import { openWebhooks, type Webhooks, webhookSecrets, webhookVariables } from './service/webhooks/open.ts';
import { checkerOf, policyOf } from './service/admin/policy.ts';
import { backendKey } from './config/backends.ts';
import { forwardedEnv } from './values/env.ts';
import { Broker } from './secrets/broker/broker.ts';
import { localTerminalEnv } from './secrets/filters.ts';
import { ownedSources, ownedVariables } from './secrets/owned.ts';
import { Redactions } from './secrets/redactions.ts';
import { giveUpReserve } from './store/reserve.ts';
import { openStore } from './store/open.ts';
import type { Store } from './store/store.ts';

const built = { backends, usual };

/** Opens Caisson on a state directory, which several processes may share. Starts nothing in any backend. */
export async function openCaisson(given: OpenInput = {}): Promise<Caisson> {
  const input = inputOf(given);
  const opened = await configured(built, input);
  const { keys, loaded, strict } = opened;
  const clock = input.clock ?? systemClock;
  const gaveUp = giveUpReserve(loaded.home);
  const { store, notices } = await openStore(loaded.home, clock);
  markHome(loaded.home);
  const audit = openAudit(loaded, store);
  const skills = new SkillGuard({ home: loaded.home, audit, env: input.env });
  const budgets = new Budgets(() => loaded.config.server.limits);
  const guard = openGuard({ loaded, store, env: input.env, cwd: input.cwd, audit, budgets }, input);
  const known = backendsIn(opened, store.instance);
  const newEdits = (): readonly Pick<Loaded, 'config'>[] => guard.rulebook.since.edits;
  const backend: Context['backend'] = (name) => known.open(name);
  const wayOut = wayOutBy(loaded, { store, audit, backend, websites: guard.websites, edits: newEdits });
  const { context, pool } = contextOf(loaded, { store, clock, audit, budgets, backend, wayOut });
  const journal = await journalOf(loaded, store);
  const webhooks: WebhooksHolder = { now: await openWebhooks(loaded, store) };
  const origin = originOf(loaded, input, skills);
  const edits = new Edits({ loaded, read: () => configuredAgain(opened, input), rulebook: guard.rulebook, audit });
  guard.rulebook.follow(edits);
  const unwatch = edits.watch(async () => await refreshNetworks(context));
  const reload = reloaderOf({ loaded, input, store, guard, origin, webhooks, context, edits });
  return new Caisson({
    context,
    loaded,
    journal,
    guard: guard.gate,
    repeats: guard.repeats,
    rulebook: guard.rulebook,
    loops: guard.loops,
    limit: strict?.strictRequest ?? null,
    origin,
    skills,
    backendNames: known.names,
    builder,
    pool,
    network: networkOf({ loaded, websites: guard.websites }),
    policy: policyOf({ ...guard, cwd: input.cwd, loaded, isolationOf: (name) => known.isolationOf(name) }),
    approvals: approvalsOf(guard, { env: input.env, audit, store, permit: permitting(context) }),
    config: configView({
      loaded,
      backends: keys,
      reload,
      file: fileOf(built, input, (work) => withConfigFile(store, () => work(() => audit))),
      pending: () => edits.pending(),
      notices: [
        ...openingNotices(gaveUp, notices),
        ...guard.notices,
        ...webhooks.now.notices,
        ...settingNotices(loaded),
      ],
    }),
    release: releasing({ context, pool, guard, journal, known, audit, webhooks, unwatch }),
  });
}

type Opening = Pick<Context, 'store' | 'clock' | 'audit' | 'budgets' | 'backend' | 'wayOut'>;

function contextOf(
  loaded: Loaded,
  { store, clock, audit, budgets, backend, wayOut }: Opening,
): { readonly context: Context; readonly pool: Pool } {
  const pool = new Pool(loaded, () => context);
  const context: Context = {
    home: loaded.home,
    env: loaded.env,
    store,
    clock,
    audit,
    budgets,
    backend,
    wayOut,
    uses: new Uses(store, clock),
    gate: new Gate(loaded.config.pool.create_concurrency),
    claims: pool.claims,
    live: new Map(),
    measuring: new Map(),
    lanes: loaded.config.exec.lanes,
    laneTally: new LaneTally(),
    requirePatchedRuntime: loaded.config.policy.require_patched_runtime,
    allowed: (owner) => allowedTo(owner, loaded.config),
    registries: {
      registries: loaded.config.registries,
      get owners() {
        return loaded.config.owners;
      },
    },
  };
  return { context, pool };
}

/** Opened anew when the configuration names others. */
interface WebhooksHolder {
  now: Webhooks;
}

interface Running {
  readonly loaded: Loaded;
  readonly input: Input;
  readonly store: Store;
  readonly guard: Pick<Guard, 'rulebook'>;
  readonly origin: ReturnType<typeof originOf>;
  readonly webhooks: WebhooksHolder;
  readonly context: Context;
  readonly edits: Edits;
}

function reloaderOf({ loaded, input, store, guard, origin, webhooks, context, edits }: Running): ConfigView['reload'] {
  return reloader({
    loaded,
    edits,
    audit: context.audit,
    read: async () => (await configured(built, input)).loaded,
    takeRules: async (next) => await guard.rulebook.reload(next),
    takeNetwork: async () => await refreshNetworks(context),
    openWebhooks: async (read) => {
      origin.ownKeys.push(...webhookVariables(read.config.webhooks));
      origin.redactions.declare(webhookSecrets(read.config.webhooks, read.env));
      await webhooks.now.close();
      webhooks.now = await openWebhooks(read, store);
    },
  });
}

/**
 * The configuration, and what policy would decide: nothing else is opened, and no state directory is made. Throws
 * `invalid_argument` and `failed_precondition` as `openCaisson` does for what is wrong in it.
 */
export async function openSettings(given: OpenInput = {}): Promise<SettingsApi> {
  const input = inputOf(given);
  const opened = await configured(built, input, { looksOnly: true });
  const { keys, loaded } = opened;
  const { rulebook, websites, notices } = openRules({ loaded, env: input.env, cwd: input.cwd }, input);
  const known = backendsIn(opened, '');
  return {
    config: configLook({ loaded, backends: keys, notices: [...notices, ...settingNotices(loaded)] }),
    network: networkOf({ loaded, websites }),
    policy: checkerOf({ cwd: input.cwd, loaded, rulebook, isolationOf: (name) => known.isolationOf(name) }),
  };
}

/** The file of a state directory, whether it loads or not. */
export const openConfigFile = (given: OpenInput = {}): ConfigFile => openFile(built, inputOf(given));

/** The egress proxy of a state directory, until the signal or until no sandbox needs it. False: there is one already. */
export async function runEgressProxy({ signal, say, ...given }: EgressInput): Promise<boolean> {
  const input = inputOf(given);
  const { serveEgress } = await import('./egress/serve.ts');
  return await serveEgress({ read: async () => (await configured(built, input)).loaded, signal, say });
}

function backendsIn({ entries, keys, loaded }: Omit<Configured, 'strict'>, instance: string): Backends {
  return new Backends(entries, (name) => ({
    env: loaded.env,
    instance,
    refusals: () => refusalsIn(loaded),
    settings: settingsFor(name, keys.configs[name]?.defaults ?? {}, loaded),
    kept: keptIn(join(loaded.home, 'cache', name)),
    doorImage: async () => await (await import('../images/builder/egress.ts')).egressImage(),
  }));
}

/** The directory, environment, secrets and skills of this process, from which commands get their values and names. */
function originOf(loaded: Loaded, { cwd }: Input, skills: SkillGuard): Origin & { readonly ownKeys: string[] } {
  const { env } = loaded;
  return {
    cwd,
    env,
    inherited: inheritsHost(loaded.config.terminal) ? Object.keys(inheritable(loaded)) : [],
    skillDirectories: loaded.config.terminal.skill_directories.map((path) => resolve(loaded.home, path)),
    redactions: redactionsOf(loaded),
    broker: new Broker(loaded.config.security.secret_sources, { env, cwd: loaded.home }),
    admitSkill: skills.admit,
    ownKeys: [
      loaded.config.approvals.smart.api_key_env,
      ...webhookVariables(loaded.config.webhooks),
      ...registryVariables(loaded.config),
    ].filter((name) => typeof name === 'string'),
  };
}

async function journalOf({ home, config }: Loaded, store: Store): Promise<Journal> {
  const journal = await openJournal(join(home, 'journal'), {
    holder: store.holderId,
    records: store.records,
    spillBytes: config.exec.spill_bytes,
    storeBytes: config.exec.store_bytes,
    retentionMs: config.exec.retention_seconds * 1000,
    now: () => store.steadyNow(),
  });
  await fillIndex(home, store, journal);
  return journal;
}

/** What is passed on by the configuration is known from the start. */
function redactionsOf({ config, env }: Loaded): Redactions {
  const { terminal, security } = config;
  const redactions = new Redactions({ enabled: security.redact_secrets });
  const names = forwardedNames(terminal);
  redactions.declareVariables(forwardedEnv(names, env), names);
  redactions.declare(serverSecrets(config));
  redactions.declare(webhookSecrets(config.webhooks, env));
  redactions.declare(
    registryVariables(config)
      .map((name) => ({ name, value: env[name] ?? '' }))
      .filter(({ value }) => value !== ''),
  );
  for (const [owner, { secrets = {} }] of Object.entries(config.owners)) {
    const { env: own } = ownedVariables(secrets, { env, ownKeys: [] });
    redactions.of(owner).declareVariables(own, Object.keys(own));
  }
  return redactions;
}

/** Values of the keys that the backend has added to the configuration. Of the keys of others it gets nothing. */
function settingsFor(
  name: string,
  defaults: BackendConfig['defaults'],
  loaded: Loaded,
): Readonly<Record<string, unknown>> {
  const keys = Object.keys(defaults).map(
    (key) => [key, valueOf(loaded.config.terminal, backendKey(name, key))] as const,
  );
  const settings: Readonly<Record<string, unknown>> = Object.fromEntries(keys);
  return settings['environment'] === 'host' ? { ...settings, environment: inheritable(loaded) } : settings;
}

/** Secrets of owners are for no command of the operator, whatever their variables are called. */
function inheritable({ config, env }: Loaded): ReturnType<typeof localTerminalEnv> {
  const others = ownedSources(config.owners);
  return localTerminalEnv(Object.fromEntries(Object.entries(env).filter(([name]) => !others.includes(name))));
}

/** Loaded on use: most commands never build an image. */
const builder: ImageBuilder = {
  recipes: async () => (await import('../images/builder/build.ts')).buildable(),
  build: async (name, how, options) =>
    (await import('../images/builder/build.ts')).buildImage(name, { ...how, ...options, env: process.env }),
};
