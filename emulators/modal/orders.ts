/** What can be asked for at the fault socket. */
import { type Server, status } from '@grpc/grpc-js';
import type { Service } from './service.ts';
import type { Orders } from './fault-socket.ts';
import type { Fault, FaultKind, Faults } from './faults.ts';
import type { Front } from './front.ts';
import type { MovableClock } from './movable-clock.ts';
import { Refusal, type StatusName } from './refuse.ts';

export interface Controlled {
  readonly service: Service;
  readonly faults: Faults;
  readonly front: Front;
  readonly clock: MovableClock;
  readonly server: Server;
}

const kinds: readonly FaultKind[] = ['throttle', 'fail', 'lose', 'duplicate', 'cut'];

export type ModalOrders = ReturnType<typeof ordersFor>;

export function ordersFor({ service, faults, front, clock }: Controlled) {
  return {
    fault: async (order) => faults.arm(faultOf(order)),
    clear: async () => faults.clear(),
    latency: async ({ ms }) => void (front.latencyMs = number(ms, 'ms')),
    drop: async () => front.drop(),
    restart: async ({ downMs }) => await front.restart(number(downMs ?? 0, 'downMs')),
    'expire-tokens': async () => service.tokens.expireAll(),
    advance: async ({ ms }) => clock.advance(number(ms, 'ms')),
    'forget-images': async () => await service.images.removeAll(),
    end: async ({ sandbox }) => await service.sandboxes.present(String(sandbox)).end(6),
    state: async () => ({
      sandboxes: service.sandboxes.all.map(({ id, definition, network, result }) => ({
        id,
        name: definition.name,
        network,
        status: result?.status ?? null,
      })),
      images: service.images.ids,
    }),
  } satisfies Orders;
}

function faultOf({ kind, method, times = 1, code, retryAfterSecs }: Readonly<Record<string, unknown>>): Fault {
  const known = kinds.find((each) => each === kind);
  if (known === undefined || typeof method !== 'string')
    throw new Refusal('INVALID_ARGUMENT', `a fault has a method, and a kind: ${kinds.join(', ')}`);
  return {
    kind: known,
    method,
    times: number(times, 'times'),
    code: isStatusName(code) ? code : undefined,
    retryAfterSecs: retryAfterSecs === undefined ? undefined : number(retryAfterSecs, 'retryAfterSecs'),
  };
}

function isStatusName(code: unknown): code is StatusName {
  return typeof code === 'string' && Object.hasOwn(status, code);
}

function number(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return value;
  throw new Refusal('INVALID_ARGUMENT', `${name} is a number from 0 on`);
}
