/** What happens around every call: who asks, which fault hits it, and that a call which is tried again has one effect. */
import type {
  handleServerStreamingCall,
  handleUnaryCall,
  Metadata,
  ServerErrorResponse,
  ServerUnaryCall,
  ServerWritableStream,
} from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import type { Writable } from 'node:stream';
import { type Faults, faultError } from './faults.ts';
import { isRecord } from './record.ts';
import { Refusal } from './refuse.ts';
import { refuseUnknown } from './wire.ts';

/** A call as a test may look at it. */
export interface RecordedCall {
  readonly method: string;
  readonly request: unknown;
}

export interface Around {
  readonly faults: Faults;
  /** Throws unless the caller may. */
  readonly admit: (metadata: Metadata, call: RecordedCall) => void;
  readonly seen: (call: RecordedCall) => void;
}

/** Decoded requests have the shape that the definition of their method gives them. */
type Work<Request> = (request: Request) => Promise<object>;
type StreamHandler<Request> = (request: Request, signal: AbortSignal) => AsyncIterable<object>;

/** Tries of one call come within seconds. */
const maxAnswers = 5000;

export class Calls {
  readonly #around: Around;
  readonly #answers = new Map<string, Promise<object>>();

  constructor(around: Around) {
    this.#around = around;
  }

  unary<Request>(method: string, work: Work<Request>): handleUnaryCall<Request, object> {
    return (call, answer) => {
      this.#answer(method, work, call).then(
        (value) => answer(null, value),
        (error: unknown) => answer(toAnswer(error)),
      );
    };
  }

  stream<Request>(method: string, parts: StreamHandler<Request>): handleServerStreamingCall<Request, object> {
    return (call) => {
      const controller = new AbortController();
      call.on('cancelled', () => controller.abort());
      call.on('close', () => controller.abort());
      this.#send(method, parts, { call, signal: controller.signal }).then(
        () => call.end(),
        (error: unknown) => call.emit('error', toAnswer(error)),
      );
    };
  }

  /** Before the work of a call; of a client that streams, `request` is the first part. */
  begin(method: string, metadata: Metadata, request: unknown): void {
    this.#around.admit(metadata, { method, request });
    if (isRecord(request)) refuseUnknown(request);
    this.#around.seen({ method, request });
    const fault = this.#around.faults.take(method, ['throttle', 'fail']);
    if (fault !== null) throw faultError(fault);
  }

  async #answer<Request>(method: string, work: Work<Request>, call: ServerUnaryCall<Request, object>): Promise<object> {
    const { faults } = this.#around;
    this.begin(method, call.metadata, call.request);
    const value = await this.#once(call.metadata, () => work(call.request));
    if (faults.take(method, ['duplicate']) !== null) await this.#once(call.metadata, () => work(call.request));
    const lost = faults.take(method, ['lose']);
    if (lost !== null) throw faultError(lost);
    return value;
  }

  /** Does the work once for the key that the SDK gives to all tries of one call. A refusal may be tried again. */
  async #once(metadata: Metadata, work: () => Promise<object>): Promise<object> {
    const [key] = metadata.get('x-idempotency-key');
    if (key === undefined) return await work();
    const id = String(key);
    const known = this.#answers.get(id) ?? work();
    this.#answers.set(id, known);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > maxAnswers && oldest !== undefined) this.#answers.delete(oldest);
    known.catch(() => this.#answers.delete(id));
    return await known;
  }

  async #send<Request>(
    method: string,
    parts: StreamHandler<Request>,
    { call, signal }: { readonly call: ServerWritableStream<Request, object>; readonly signal: AbortSignal },
  ): Promise<void> {
    this.begin(method, call.metadata, call.request);
    const cut = this.#around.faults.take(method, ['cut']);
    for await (const part of parts(call.request, signal)) {
      if (!call.write(part)) await writable(call, signal);
      if (signal.aborted) return;
      if (cut !== null) throw faultError(cut);
    }
    if (cut !== null) throw faultError(cut);
  }
}

async function writable(call: Writable, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    call.once('drain', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

export function toAnswer(error: unknown): Partial<ServerErrorResponse> & { readonly code: number } {
  if (error instanceof Refusal) return { code: error.code, details: error.message, metadata: error.metadata };
  return { code: status.INTERNAL, details: error instanceof Error ? error.message : 'unknown' };
}
