/** What is to go wrong, as somebody asked for it; each entry is used up by the calls that it hits. */
import { Metadata, status } from '@grpc/grpc-js';
import { Refusal, type StatusName } from './refuse.ts';

export type FaultKind =
  /** RESOURCE_EXHAUSTED; with `retryAfterSecs`, the service's own hint when to come again. */
  | 'throttle'
  /** Fails before anything is done. */
  | 'fail'
  /** Does it, and loses the answer. */
  | 'lose'
  /** Does it twice, as a request that arrives twice. */
  | 'duplicate'
  /** Ends a stream of output with an error after some of it. */
  | 'cut';

export interface Fault {
  readonly kind: FaultKind;
  /** Method of the service, such as `SandboxCreateV2`. */
  readonly method: string;
  readonly times: number;
  readonly code?: StatusName | undefined;
  readonly retryAfterSecs?: number | undefined;
}

export class Faults {
  readonly #armed: { fault: Fault; left: number }[] = [];

  arm(fault: Fault): void {
    this.#armed.push({ fault, left: fault.times });
  }

  clear(): void {
    this.#armed.length = 0;
  }

  /** Uses it up. */
  take(method: string, kinds: readonly FaultKind[]): Fault | null {
    const entry = this.#armed.find(
      ({ fault, left }) => left > 0 && fault.method === method && kinds.includes(fault.kind),
    );
    if (entry === undefined) return null;
    entry.left -= 1;
    return entry.fault;
  }
}

export function faultError({ kind, code, retryAfterSecs }: Fault): Refusal {
  const usual = kind === 'throttle' ? 'RESOURCE_EXHAUSTED' : 'UNAVAILABLE';
  const metadata = new Metadata();
  if (retryAfterSecs !== undefined) metadata.set('grpc-status-details-bin', retryPolicy(retryAfterSecs));
  return new Refusal(code ?? usual, `a fault that was asked for: ${kind}`, metadata);
}

/** google.rpc.Status with one detail, the service's RPCRetryPolicy; both are short. */
function retryPolicy(seconds: number): Buffer {
  const value = Buffer.alloc(5);
  value[0] = (1 << 3) | 5;
  value.writeFloatLE(seconds, 1);
  const detail = Buffer.concat([text(1, 'type.googleapis.com/modal.client.RPCRetryPolicy'), lengthy(2, value)]);
  return Buffer.concat([Buffer.from([1 << 3, status.RESOURCE_EXHAUSTED]), lengthy(3, detail)]);
}

function text(field: number, value: string): Buffer {
  return lengthy(field, Buffer.from(value));
}

function lengthy(field: number, value: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(field << 3) | 2, value.length]), value]);
}
