/** Modal's service on this machine, as far as its JavaScript SDK uses it for sandboxes: both services on one port of 127.0.0.1. */
import { type Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CaissonError } from '../../src/errors.ts';
import type { Emulator, EmulatorOptions } from '../emulator.ts';
import { Calls, type RecordedCall } from './calls.ts';
import { canIsolate } from './container.ts';
import { catalogue } from './catalogue.ts';
import { lifecycle } from './lifecycle.ts';
import type { Service } from './service.ts';
import { closeInherited } from './descriptors.ts';
import { Faults } from './faults.ts';
import { listenForFaults } from './fault-socket.ts';
import { Front } from './front.ts';
import { Images } from './images.ts';
import { Limits } from './limits.ts';
import { MovableClock } from './movable-clock.ts';
import { type ModalOrders, ordersFor } from './orders.ts';
import { isRecord } from './record.ts';
import { Refusal } from './refuse.ts';
import { router } from './router.ts';
import { Sandboxes } from './sandboxes.ts';
import { Tokens } from './tokens.ts';
import { loadWire } from './wire.ts';

export interface ModalOptions extends EmulatorOptions {
  /** Called with every request that is admitted. */
  readonly onCall?: (call: RecordedCall) => void;
}

export interface ModalEmulator extends Emulator {
  /** What the fault socket takes, for tests in the same process. */
  readonly orders: ModalOrders;
  /** Whether limits of cores and memory are held here. */
  readonly limits: boolean;
}

/** Throws `failed_precondition` where commands could not be kept apart from this host. */
export async function startModal({ unsafe, onCall }: ModalOptions): Promise<ModalEmulator> {
  if (!canIsolate() && !unsafe) throw needsRootError();
  closeInherited();
  const directory = await mkdtemp(join(tmpdir(), 'caisson-modal-'));
  const clock = new MovableClock();
  const limits = await Limits.find();
  const images = new Images(join(directory, 'images'), clock);
  const tokens = new Tokens(() => clock.nowMs());
  const sandboxes = new Sandboxes({ directory: join(directory, 'sandboxes'), clock, images, limits });
  const faults = new Faults();
  let port = 0;
  const service: Service = {
    images,
    sandboxes,
    tokens,
    apps: new Map(),
    secrets: new Map(),
    url: () => `https://127.0.0.1:${port}`,
  };
  const server = await serve(service, { faults, onCall, socket: join(directory, 'service') });
  const front = await Front.listen(join(directory, 'service'));
  port = front.port;
  const orders = ordersFor({ service, faults, front, clock, server });
  const faultSocket = await listenForFaults(join(directory, 'faults'), orders);
  return {
    environment: {
      MODAL_SERVER_URL: `http://127.0.0.1:${port}`,
      MODAL_TOKEN_ID: tokens.credentials.id,
      MODAL_TOKEN_SECRET: tokens.credentials.secret,
      MODAL_CONFIG_PATH: join(directory, 'no-such-file'),
    },
    faults: join(directory, 'faults'),
    orders,
    limits: limits.held,
    close: async () => {
      await front.close();
      faultSocket.close();
      server.forceShutdown();
      await sandboxes.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

interface Serving {
  readonly faults: Faults;
  readonly onCall: ModalOptions['onCall'];
  readonly socket: string;
}

async function serve(service: Service, { faults, onCall, socket }: Serving): Promise<Server> {
  const wire = loadWire();
  const seen = onCall ?? ((): void => undefined);
  const server = new Server({ 'grpc.max_receive_message_length': 100 * 1024 * 1024 });
  const forClients = new Calls({
    faults,
    seen,
    admit: (metadata, call) => admitClient(service.tokens, metadata, call),
  });
  const forTasks = new Calls({ faults, seen, admit: (metadata, call) => admitTask(service.tokens, metadata, call) });
  server.addService(wire.controlPlane, { ...catalogue(service, forClients), ...lifecycle(service, forClients) });
  server.addService(wire.router, router(service, forTasks));
  await promisify(server.bindAsync.bind(server))(`unix:${socket}`, ServerCredentials.createInsecure());
  return server;
}

function admitClient(tokens: Tokens, metadata: Metadata, { method }: RecordedCall): void {
  if (!tokens.isOwner(header(metadata, 'x-modal-token-id'), header(metadata, 'x-modal-token-secret')))
    throw new Refusal('UNAUTHENTICATED', 'the token id or secret is not that of this service');
  if (method === 'AuthTokenGet') return;
  if (tokens.subjectOf(header(metadata, 'x-modal-auth-token')) !== 'client')
    throw new Refusal('UNAUTHENTICATED', 'the token of the client is missing, or has expired');
}

/** A token opens the commands of one sandbox alone. */
function admitTask(tokens: Tokens, metadata: Metadata, { request }: RecordedCall): void {
  const bearer = header(metadata, 'authorization');
  const subject = bearer.startsWith('Bearer ') ? tokens.subjectOf(bearer.slice('Bearer '.length)) : null;
  if (subject === null || !isRecord(request) || request['taskId'] !== subject)
    throw new Refusal('UNAUTHENTICATED', 'the token of the task is missing, or has expired');
}

function header(metadata: Metadata, name: string): string {
  return String(metadata.get(name)[0] ?? '');
}

function needsRootError(): CaissonError {
  return new CaissonError(
    'failed_precondition',
    'commands cannot be kept apart from this host: that needs root and Linux',
    {
      remedy: 'start it as root, or pass --unsafe where the commands may touch everything that you may',
    },
  );
}
