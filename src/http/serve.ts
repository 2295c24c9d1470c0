/** One running service, from its first address to its last event. */
import { join } from 'node:path';
import type { DestinationStream } from 'pino';
import { CaissonError } from '../errors.ts';
import type { Limits } from '../mcp/limits.ts';
import type { CaissonApi } from '../service/api.ts';
import { openApp } from './app.ts';
import { clearStaged } from './files/staging.ts';
import { listen, placeOf, serverFor, type Settings } from './listen.ts';
import { logTo } from './log.ts';
import { serviceOf } from './service.ts';

export interface ServeInput {
  readonly settings: Settings;
  /** Other hosts may reach it. */
  readonly isPublic: boolean;
  readonly log: DestinationStream;
  readonly logLevel?: string;
  /** Absent: 15 seconds. */
  readonly heartbeatMs?: number;
  /** Of `/mcp`. Absent: the usual ones. */
  readonly mcpLimits?: Limits;
}

export interface Serving {
  readonly url: string;
  readonly notices: readonly string[];
  /**
   * In order: it is not ready any more and takes nothing; every stream ends with where to resume; commands have their time to
   * end; connections are closed. Detached processes go on. The API stays open: its closing cancels what still runs.
   */
  stop(): Promise<void>;
}

const usualHeartbeatMs = 15_000;

export async function serve(api: CaissonApi, input: ServeInput): Promise<Serving> {
  const { settings, isPublic } = input;
  const place = placeOf(settings, { isPublic });
  const stopping = new AbortController();
  const service = serviceOf(api, stopping.signal, {
    heartbeatMs: input.heartbeatMs ?? usualHeartbeatMs,
    ...(input.mcpLimits === undefined ? {} : { mcpLimits: input.mcpLimits }),
  });
  const log = logTo(input.log, input.logLevel);
  const door = { hosts: settings.hosts, origins: settings.origins, bound: place.host, secure: place.secure };
  const serverFactory = serverFor(settings);
  await clearStaged(join(api.config.home, 'uploads'));
  const app = await openApp({
    ...{ service, log, proxies: settings.proxies },
    door: () => door,
    ...(serverFactory === null ? {} : { serverFactory }),
  });
  const url = await listen(app, place);
  log.info({ url }, 'listening');
  return {
    url,
    notices: place.notices,
    stop: async () => {
      stopping.abort(new CaissonError('unavailable', 'the service stops'));
      const done = await service.live.settled(settings.shutdown_seconds * 1000);
      log.info({ allEnded: done }, 'stopping');
      await app.close();
    },
  };
}
