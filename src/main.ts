/** The composition root: the only place that knows which store, which backends and which builder there are. */
import { statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { backends, isolation } from '../backends/index.ts';
import { unreadFlags } from './access/authorize.ts';
import type { ConfigView, PolicyApi } from './service/api.ts';
import { auditIn } from './audit/log.ts';
import type { Backend, OpenOptions } from './backend.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { Caisson, type ImageBuilder } from './service/caisson.ts';
import { isSection } from './config/layer.ts';
import { loadConfig } from './config/load.ts';
import type { Flags, Loaded } from './config/types.ts';
import { CaissonError } from './errors.ts';
import { type GuardInput, openGuard } from './guard/open.ts';
import { markHome } from './service/admin/home-identity.ts';
import { approvalsOf } from './service/admin/approvals.ts';
import { shownServers } from './service/admin/mcp-servers.ts';
import type { Origin } from './service/exec/provision.ts';
import { serverSecrets } from './service/admin/secrets.ts';
import type { Rulebook } from './guard/rulebook.ts';
import { type Journal, openJournal } from './exec/journal/journal.ts';
import type { Context } from './sandbox/context.ts';
import { fillIndex } from './service/exec/reindex.ts';
import { Gate } from './sandbox/gate.ts';
import { Uses } from './sandbox/use.ts';
import { flagOf } from './plan/backend-keys.ts';
import { forwardedEnv } from './values/env.ts';
import { shortestEverywhere } from './secrets/redact/forms.ts';
import { Broker } from './secrets/broker/broker.ts';
import { localTerminalEnv, namesSecret } from './secrets/filters.ts';
import { Redactions } from './secrets/redactions.ts';
import { giveUpReserve } from './store/reserve.ts';
import type { Notice } from './store/sqlite/notice.ts';
import { openStore } from './store/sqlite/open.ts';
import type { Store } from './store/store.ts';

export interface OpenInput extends GuardInput {
  /** The state directory. Absent: `CAISSON_HOME`, else `~/.caisson`. */
  readonly home?: string;
  /** The environment: switches, and values of forwarded names. Never the process's own behind the caller's back. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Absent: the clock of the system. */
  readonly clock?: Clock;
  /** Configuration keys set for this process, dotted: `{"terminal.container_cpu": 2}`. */
  readonly flags?: Readonly<Record<string, unknown>>;
}

/** Opens Caisson on a state directory, which several processes may share. Starts nothing in any backend. */
export async function openCaisson(input: OpenInput): Promise<Caisson> {
  const written = await loadConfig({ ...input, flags: sectionsOf(input.flags ?? {}) });
  const strict = written.config.policy.profile === 'strict' ? await import('./guard/strict.ts') : null;
  const loaded = strict?.underProfile(written) ?? written;
  const clock = input.clock ?? systemClock;
  const gaveUp = giveUpReserve(loaded.home);
  const { store, notices } = await openStore(join(loaded.home, 'caisson.db'), { clock });
  markHome(loaded.home);
  const { file_bytes: fileBytes, store_bytes: storeBytes } = loaded.config.audit;
  const audit = auditIn(join(loaded.home, 'audit'), { fileBytes, storeBytes, owner: store.owner });
  const guard = openGuard({ loaded, store, env: input.env, cwd: input.cwd, audit }, input);
  const opened = new Map<string, Promise<Backend>>();
  const { env } = loaded;
  const context: Context = {
    home: loaded.home,
    store,
    env,
    clock,
    uses: new Uses(store, clock),
    audit,
    backend: (name) =>
      openBackend(opened, name, { env, instance: store.instance, settings: settingsFor(name, loaded) }),
    gate: new Gate(loaded.config.pool.create_concurrency),
    live: new Map(),
    measuring: new Map(),
    lanes: loaded.config.exec.lanes,
    requirePatchedRuntime: loaded.config.policy.require_patched_runtime,
  };
  const journal = await journalOf(loaded, store);
  return new Caisson({
    context,
    loaded,
    journal,
    guard: guard.gate,
    repeats: guard.repeats,
    rulebook: guard.rulebook,
    limit: strict?.strictRequest ?? null,
    loops: guard.loops,
    origin: originOf(loaded, input),
    backendNames: Object.keys(backends),
    builder,
    policy: { ...policyFor(input.cwd, loaded, guard.rulebook), hooks: guard.hooks },
    approvals: approvalsOf(guard, input.env),
    config: configView(loaded, [
      ...openingNotices(gaveUp, notices),
      ...readableHome(loaded.home),
      ...guard.notices,
      ...ineffective(loaded),
    ]),
    release: async () => {
      await journal.close();
      await Promise.allSettled([...opened.values()].map(async (backend) => (await backend).close()));
      await store.close();
      audit.close();
    },
  });
}

function openingNotices(gaveUp: boolean, notices: readonly Notice[]): readonly string[] {
  const full = 'the disk of the state directory is full: its reserve was given up, so that space can be freed';
  return [...(gaveUp ? [full] : []), ...notices.map(({ message }) => message)];
}

/** Where values and names come from that commands are given. */
function originOf(loaded: Loaded, { cwd }: OpenInput): Origin {
  const { env } = loaded;
  return {
    cwd,
    env,
    inherited: loaded.config.terminal.local_environment === 'host' ? Object.keys(localTerminalEnv(env)) : [],
    skillDirectories: loaded.config.terminal.skill_directories.map((path) => resolve(loaded.home, path)),
    redactions: redactionsOf(loaded),
    broker: new Broker(loaded.config.security.secret_sources, { env, cwd: loaded.home }),
    ownKeys: [loaded.config.approvals.smart.api_key_env].filter((name) => typeof name === 'string'),
  };
}

/** Its files are for this user alone; their names, and when they change, are not. */
function readableHome(home: string): readonly string[] {
  const { mode } = statSync(home);
  const shown = (mode & 0o777).toString(8);
  return (mode & 0o077) === 0
    ? []
    : [`other users can look into the state directory ${home} (mode ${shown}): chmod 700 ${home}`];
}

async function journalOf({ home, config }: Loaded, store: Store): Promise<Journal> {
  const journal = await openJournal(join(home, 'journal'), {
    owner: store.owner,
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
  const names = [...terminal.docker_forward_env, ...terminal.env_passthrough];
  redactions.forExec(forwardedEnv(names, env), names);
  redactions.declare(serverSecrets(config));
  return redactions;
}

/** A short value may occur in a text by chance, so that its occurrences prove nothing. */
function shortSecrets({ config: { terminal, security, mcp_servers: servers }, env }: Loaded): readonly string[] {
  if (!security.redact_secrets) return [];
  const names = [...terminal.docker_forward_env, ...terminal.env_passthrough];
  const own = Object.values(servers).flatMap((server) => Object.entries(server.env ?? {}));
  const values = [...Object.entries(forwardedEnv(names, env)), ...own];
  return values.flatMap(([name, value]) =>
    namesSecret(name) && value.length < shortestEverywhere
      ? [
          `${name} has fewer than ${shortestEverywhere} characters: it is replaced in output only where it is a whole line`,
        ]
      : [],
  );
}

/** Settings that do less than they seem to. */
function ineffective(loaded: Loaded): readonly string[] {
  const flags = unreadFlags(loaded.env).map((name) => `${name} is neither true nor false: it admits no user`);
  return [...shortSecrets(loaded), ...flags];
}

async function openBackend(
  opened: Map<string, Promise<Backend>>,
  name: string,
  options: OpenOptions,
): Promise<Backend> {
  const load = Object.hasOwn(backends, name) ? backends[name] : undefined;
  if (load === undefined) {
    throw unknownBackend(name, Object.keys(backends));
  }
  const known = opened.get(name) ?? load().then((module) => module.open(options));
  opened.set(name, known);
  return await known;
}

/** `terminal.ssh_host` is `host` to the ssh backend; of the keys of others it learns nothing. */
function settingsFor(name: string, { config: { terminal }, env }: Loaded): Readonly<Record<string, unknown>> {
  const prefix = `${name}_`;
  const own = Object.entries(terminal).filter(([key]) => key.startsWith(prefix));
  const settings = Object.fromEntries(own.map(([key, value]: [string, unknown]) => [key.slice(prefix.length), value]));
  return settings['environment'] === 'host' ? { ...settings, environment: localTerminalEnv(env) } : settings;
}

/** Loaded on use: most commands never build an image. */
const builder: ImageBuilder = {
  recipes: async () => (await import('../images/builder/recipes.ts')).recipes(),
  build: async (name, how, options) =>
    (await import('../images/builder/build.ts')).buildImage(name, { ...how, ...options, env: process.env }),
};

/** The grammar is loaded when a command is judged, and not before. */
function policyFor(cwd: string, { config, env }: Loaded, rulebook: Rulebook): Omit<PolicyApi, 'hooks'> {
  return {
    examples: async () => [...(await (await import('./policy/examples.ts')).checkedExamples())],
    ignored: () => rulebook.ignored(),
    checker: async ({ backend = config.terminal.backend, cwd: given, ...query }) => {
      const kind = Object.hasOwn(isolation, backend) ? isolation[backend] : undefined;
      if (kind === undefined) throw unknownBackend(backend, Object.keys(isolation));
      const { openChecker } = await import('./policy/checker.ts');
      const here =
        kind === 'none' ? { cwd, ...(env['HOME'] === undefined ? {} : { home: env['HOME'] }) } : { cwd: '/workspace' };
      return await openChecker({
        ...here,
        isolation: kind,
        hostPaths: flagOf(config.terminal, `${backend}_mount_cwd_to_workspace`, false),
        cwd: given ?? config.terminal.cwd ?? here.cwd,
        settings: await rulebook.asked(query),
      });
    },
  };
}

function unknownBackend(name: string, known: readonly string[]): CaissonError {
  const message = Object.hasOwn(isolation, name)
    ? `this build has no ${name} backend`
    : `there is no backend ${JSON.stringify(name)}`;
  return new CaissonError('invalid_argument', message, { remedy: `choose one of ${known.join(', ')}` });
}

function configView(loaded: Loaded, notices: readonly string[]): ConfigView {
  const shown = { ...loaded.config, mcp_servers: shownServers(loaded.config.mcp_servers) };
  const keys = Object.entries(shown).flatMap(([name, value]: [string, unknown]) =>
    isSection(name) && typeof value === 'object' && value !== null
      ? Object.entries(value).map(([key, inner]: [string, unknown]) => ({ key: `${name}.${key}`, value: inner }))
      : [{ key: name, value }],
  );
  return {
    home: loaded.home,
    notices,
    show: () => keys.map((entry) => ({ ...entry, origin: loaded.origins[entry.key] ?? 'default' })),
    schema: async () => (await import('./config/json-schema.ts')).configSchema(),
  };
}

/** `terminal.container_cpu` -> `{ terminal: { container_cpu } }`. What is no key is refused by the schema, with the nearest one. */
function sectionsOf(dotted: Readonly<Record<string, unknown>>): Flags {
  const sections: Record<string, Record<string, unknown>> = {};
  for (const [key, value] of Object.entries(dotted)) {
    const [section = '', ...rest] = key.split('.');
    (sections[section] ??= {})[rest.join('.')] = value;
  }
  return sections;
}
