/** REST of the account: sandboxes are made, found, changed and removed. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { CreateSandbox, ListSandboxesResponse, SandboxLabels, ToolboxProxyUrl, Url } from '@daytona/api-client';
import { z } from 'zod';
import { Box } from './box.ts';
import type { Faults } from './faults.ts';
import type { Layers } from './images.ts';
import type { Groups } from './limits.ts';
import type { MovableClock } from './movable-clock.ts';
import { changedNetwork, isOpen, networkChange, networkFields, networkOf, overridden } from './network.ts';
import { listItem, type Record, shown, type Timers } from './record.ts';
import { ApiError, read, readQuery } from './refuse.ts';
import type { Sandboxes } from './sandboxes.ts';
import { Toolbox } from './toolbox.ts';
import { type Call, type Route, route } from './wire.ts';

export interface AccountOptions {
  readonly sandboxes: Sandboxes;
  readonly layers: Layers;
  readonly clock: MovableClock;
  readonly directory: string;
  readonly groups: Groups | null;
  readonly unsafe: boolean;
  readonly origin: () => string;
  readonly faults: Pick<Faults, 'domains'>;
}

const minutes = z.number().int().min(0).max(1_000_000);
const texts = z.record(z.string().max(256), z.string().max(32_768));

/** Names are those of the client. */
const fields = {
  name: z.string().min(1).max(100).optional(),
  buildInfo: z
    .strictObject({
      dockerfileContent: z.string().max(65_536),
      contextHashes: z.array(z.string()).max(0).optional(),
    })
    .optional(),
  snapshot: z.string().max(200).optional(),
  user: z.string().max(64).optional(),
  env: texts.optional(),
  labels: texts.optional(),
  public: z.boolean().optional(),
  target: z.string().max(64).optional(),
  cpu: z.number().int().min(1).max(4).optional(),
  memory: z.number().int().min(1).max(8).optional(),
  disk: z.number().int().min(1).max(10, 'exceeds maximum allowed per sandbox (10GB)').optional(),
  gpu: z.literal(0).optional(),
  autoStopInterval: minutes.optional(),
  autoArchiveInterval: minutes.optional(),
  autoDeleteInterval: z.number().int().min(-1).max(1_000_000).optional(),
  ttlMinutes: minutes.optional(),
  ...networkFields,
} satisfies { [K in keyof CreateSandbox]?: z.ZodType };
const creation = z.strictObject(fields);

const listing = z.strictObject({
  cursor: z.string().max(100).optional(),
  limit: z.coerce.number().int().min(1).max(200).optional(),
  labels: z.string().max(8192).optional(),
  name: z.string().max(100).optional(),
});

const labelsBody = z.strictObject({ labels: texts });

export function accountRoutes(options: AccountOptions): readonly Route[] {
  const { sandboxes, origin } = options;
  return [
    route('POST /api/sandbox', async ({ body }) => shown(await make(read(creation, body), options), origin())),
    route('GET /api/sandbox', ({ query }) => page(readQuery(listing, query), options)),
    route('GET /api/sandbox/:id', ({ args: [id = ''] }) => shown(sandboxes.find(id), origin())),
    ...changes(options),
    ...timers(options),
    ...addresses(options),
  ];
}

function changes({ sandboxes, origin, faults }: AccountOptions): readonly Route[] {
  const on = (line: string, act: (record: Record) => void): Route =>
    route(line, ({ args: [id = ''] }) => {
      const record = sandboxes.find(id);
      act(record);
      return shown(record, origin());
    });
  return [
    on('DELETE /api/sandbox/:id', (record) => sandboxes.remove(record)),
    on('POST /api/sandbox/:id/start', (record) => sandboxes.start(record)),
    on('POST /api/sandbox/:id/stop', (record) => sandboxes.stop(record)),
    on('POST /api/sandbox/:id/archive', (record) => sandboxes.archive(record)),
    on('POST /api/sandbox/:id/last-activity', (record) => sandboxes.touch(record)),
    route('POST /api/sandbox/:id/network-settings', ({ args: [id = ''], body }) => {
      const record = sandboxes.find(id);
      sandboxes.settled(record);
      record.network = overridden(changedNetwork(record.network, read(networkChange, body)), faults.domains);
      return shown(record, origin());
    }),
    route('PUT /api/sandbox/:id/labels', ({ args: [id = ''], body }) => {
      const record = sandboxes.find(id);
      record.labels = read(labelsBody, body).labels;
      return { labels: { ...record.labels } } satisfies SandboxLabels;
    }),
  ];
}

function timers({ sandboxes, origin }: AccountOptions): readonly Route[] {
  const timer = (path: string, name: keyof Timers, least: number): Route =>
    route(`POST /api/sandbox/:id/${path}/:minutes`, ({ args: [id = '', given] }) => {
      const value = Number(given);
      if (!Number.isInteger(value) || value < least)
        throw new ApiError(400, 'the interval must be a number of minutes');
      const record = sandboxes.find(id);
      record[name] = value;
      return shown(record, origin());
    });
  return [
    timer('autostop', 'autoStopInterval', 0),
    timer('autoarchive', 'autoArchiveInterval', 0),
    timer('autodelete', 'autoDeleteInterval', -1),
    timer('ttl', 'ttlMinutes', 0),
  ];
}

function addresses({ sandboxes, origin }: AccountOptions): readonly Route[] {
  const one = ({ args: [id = ''] }: Call): Record => sandboxes.find(id);
  return [
    route('GET /api/sandbox/:id/toolbox-proxy-url', (call) => {
      one(call);
      return { url: `${origin()}/toolbox` } satisfies ToolboxProxyUrl;
    }),
    route(
      'GET /api/sandbox/:id/build-logs-url',
      (call) => ({ url: `${origin()}/api/sandbox/${one(call).id}/build-logs` }) satisfies Url,
    ),
    route('GET /api/sandbox/:id/build-logs', (call) => void call.response.end(`FROM ${one(call).image}\n`)),
  ];
}

async function make(asked: z.infer<typeof creation>, options: AccountOptions): Promise<Record> {
  const { sandboxes, layers, clock, directory, groups, unsafe } = options;
  const { snapshot, cpu, memory, disk } = asked;
  if (snapshot !== undefined && (cpu ?? memory ?? disk) !== undefined)
    throw new ApiError(400, 'Cannot specify Sandbox resources when using a snapshot');
  const image = imageOf(asked);
  const id = randomUUID();
  const size = { cpu: cpu ?? 1, memory: memory ?? 1, disk: disk ?? 3 };
  const env = asked.env ?? {};
  const layer = await layers.of(image);
  const network = overridden(networkOf(asked), options.faults.domains);
  const place = { network: isOpen(network) ? ('open' as const) : ('none' as const), env, groups, unsafe };
  const box = new Box({ id, directory: join(directory, id), layer, size, ...place });
  const now = clock.now();
  const record: Record = {
    id,
    name: asked.name ?? id,
    image,
    env,
    labels: asked.labels ?? {},
    target: asked.target ?? 'here',
    network,
    ...size,
    autoStopInterval: asked.autoStopInterval ?? 15,
    autoArchiveInterval: asked.autoArchiveInterval ?? 7 * 24 * 60,
    autoDeleteInterval: asked.autoDeleteInterval ?? -1,
    ttlMinutes: asked.ttlMinutes ?? 0,
    box,
    toolbox: new Toolbox(box),
    state: 'creating',
    desired: 'started',
    errorReason: null,
    createdMs: now,
    updatedMs: now,
    activeMs: now,
    stoppedMs: null,
  };
  sandboxes.add(record);
  return record;
}

/** Layers above the first one are not built. */
function imageOf({ buildInfo, snapshot }: z.infer<typeof creation>): string {
  if (buildInfo === undefined) return snapshot ?? 'default';
  const found = /^FROM (\S{1,512})\s*$/.exec(buildInfo.dockerfileContent);
  if (found?.[1] !== undefined) return found[1];
  throw new ApiError(400, 'buildInfo.dockerfileContent: this emulator builds nothing beyond FROM');
}

function page(asked: z.infer<typeof listing>, { sandboxes, origin }: AccountOptions): ListSandboxesResponse {
  const wanted = Object.entries(labelsOf(asked.labels));
  const all = sandboxes
    .list()
    .filter(({ labels }) => wanted.every(([name, value]) => labels[name] === value))
    .filter(({ name }) => asked.name === undefined || name.startsWith(asked.name));
  const rest = asked.cursor === undefined ? all : all.filter((record) => isAfter(record, asked.cursor ?? ''));
  const items = rest.slice(0, asked.limit ?? 100);
  const last = items.at(-1);
  return {
    items: items.map((record) => listItem(record, origin())),
    nextCursor: rest.length > items.length && last !== undefined ? cursorOf(last) : null,
  };
}

/** A position and no index: what is removed between two pages moves nothing. */
function cursorOf({ createdMs, id }: Record): string {
  return `${createdMs}.${id}`;
}

function isAfter({ createdMs, id }: Record, cursor: string): boolean {
  const [ms = '', last = ''] = cursor.split('.');
  return createdMs < Number(ms) || (createdMs === Number(ms) && id > last);
}

function labelsOf(text: string | undefined): globalThis.Record<string, string> {
  try {
    return text === undefined ? {} : read(texts, JSON.parse(text));
  } catch {
    throw new ApiError(400, 'labels: not a JSON object of texts');
  }
}
