/** One running service, from its first address to its last event. */
import { join, resolve } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { DestinationStream, Logger } from 'pino';
import { CaissonError } from '../errors.ts';
import type { Limits } from '../mcp/limits.ts';
import type { CaissonApi } from '../service/api.ts';
import { openApp } from './app.ts';
import { clearStaged } from './files/staging.ts';
import type { Lock } from '../store/file-lock.ts';
import { claim } from '../store/service-claim.ts';
import { whenIdle } from './held/activity.ts';
import { defaultSocket } from './home/listen.ts';
import type { Flags } from './home/state.ts';
import { openHomeDoor } from './home/open.ts';
import { listen, type ListenTarget, placeOf, serverFor, type Settings } from './listen.ts';
import { logTo } from './log.ts';
import { serviceOf } from './service.ts';
import type { Service } from './types.ts';
import { given } from '../lib/given.ts';

export type { Flags, ServiceState } from './home/state.ts';
export { openLogFile } from './home/log-file.ts';

export interface ServeInput {
  readonly settings: Settings;
  /** Other hosts may reach it. */
  readonly isPublic: boolean;
  readonly log: DestinationStream;
  readonly logLevel?: string;
  /** Absent: 15 seconds. */
  readonly heartbeatMs?: number;
  /** True: throws `conflict` where another service of the state directory lives. Absent: it runs beside that one. */
  readonly alone?: boolean;
  /** What it was started with, for `caisson service status`. */
  readonly flags?: Flags;
  /** Without a request, a command or a stream for so long, `idle` resolves. */
  readonly idleMs?: number;
  /** Limits of `/mcp`. Absent: the usual ones. */
  readonly mcpLimits?: Limits;
}

export interface Serving {
  readonly url: string;
  /** Socket of the state directory, for the command line of this host; `null`: another service has it. */
  readonly socket: string | null;
  readonly notices: readonly string[];
  /** Resolves when nothing was to do for `idleMs`, and it is to be stopped. */
  readonly idle: Promise<void>;
  /**
   * In order: it is not ready any more and takes nothing; every stream ends with where to resume; commands have their time to
   * end; connections are closed. Detached processes go on. The API stays open: its closing cancels what still runs.
   */
  stop(): Promise<void>;
}

const defaultHeartbeatMs = 15_000;

export async function serve(api: CaissonApi, input: ServeInput): Promise<Serving> {
  const { settings, isPublic } = input;
  const place = placeOf(settings, { isPublic });
  checkSocket(settings, api);
  const held = claim(api.config.home);
  if (held === null && input.alone === true) throw homeTakenError(api);
  try {
    return await serveAt(api, input, { place, held });
  } catch (error) {
    held?.release();
    throw error;
  }
}

interface ListenLock {
  readonly place: ListenTarget;
  readonly held: Lock | null;
}

async function serveAt(api: CaissonApi, input: ServeInput, { place, held }: ListenLock): Promise<Serving> {
  const { settings, flags = {}, idleMs } = input;
  const stopping = new AbortController();
  const service = serviceOf(api, stopping.signal, {
    heartbeatMs: input.heartbeatMs ?? defaultHeartbeatMs,
    ...given({ mcpLimits: input.mcpLimits }),
  });
  const log = logTo(input.log, input.logLevel);
  await clearStaged(join(api.config.home, 'uploads'));
  const { app, url } = await openPlace(service, { settings, place, log });
  api.pool.keep();
  if (settings.samples) api.sandboxes.keepSamples();
  const home = held === null ? null : await openHomeDoor({ service, log, url, flags }).catch(closing(app));
  log.info({ url, socket: home?.socket ?? null }, 'listening');
  const { promise: idle, resolve } = Promise.withResolvers<void>();
  const forget = idleMs === undefined ? () => undefined : whenIdle(service.activity, idleMs, resolve);
  return {
    url,
    idle,
    socket: home?.socket ?? null,
    notices: held === null ? [...place.notices, beside(api)] : place.notices,
    stop: once(async () => {
      forget();
      stopping.abort(new CaissonError('unavailable', 'the service stops'));
      const done = await service.live.settled(settings.shutdown_seconds * 1000);
      log.info({ allEnded: done }, 'stopping');
      await home?.close();
      await app.close();
      held?.release();
    }),
  };
}

interface Opening {
  readonly settings: Settings;
  readonly place: ListenTarget;
  readonly log: Logger;
}

async function openPlace(service: Service, { settings, place, log }: Opening) {
  const door = { hosts: settings.hosts, origins: settings.origins, bound: place.host, secure: place.secure };
  const serverFactory = serverFor(settings);
  const app = await openApp({
    service,
    log,
    proxies: settings.proxies,
    dashboard: settings.dashboard,
    door: () => door,
    ...(serverFactory === null ? {} : { serverFactory }),
  });
  return { app, url: await listen(app, place) };
}

function closing(app: FastifyInstance): (error: unknown) => Promise<never> {
  return async (error) => {
    await app.close();
    throw error;
  };
}

/** What the next service has written since must stay. */
function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => (done ??= work());
}

/** The claim clears that path, and whatever listens there. */
function checkSocket({ socket }: Settings, { config: { home } }: CaissonApi): void {
  if (socket !== null && resolve(socket) === defaultSocket(home))
    throw new CaissonError(
      'invalid_argument',
      `${socket} is the socket of the state directory, which every service has`,
      {
        remedy: 'leave server.socket out: an address is needed beside it, such as another socket',
      },
    );
}

function homeTakenError({ config: { home } }: CaissonApi): CaissonError {
  return new CaissonError('conflict', `another service of the state directory ${home} runs`, {
    remedy: 'caisson service status',
  });
}

const beside = ({ config: { home } }: CaissonApi): string =>
  `another service has the socket ${defaultSocket(home)}: the command line uses that one`;
