/** What happens around every call: who asks, which fault hits it, and that a call which is tried again has one effect. */
import type {
  handleServerStreamingCall,
  handleUnaryCall,
  Metadata,
  sendUnaryData,
  ServerErrorResponse,
  ServerUnaryCall,
  ServerWritableStream,
} from '@grpc/grpc-js';
import { status } from '@grpc/grpc-js';
import { errorOf, type ErrorAnswer, type Faults } from './faults.ts';
import { isRecord } from './record.ts';
import { Refusal } from './refuse.ts';
import { refuseUnknown } from './wire.ts';

/** A call as a test may look at it. */
export interface Seen {
  readonly method: string;
  readonly request: unknown;
}

export interface Around {
  readonly faults: Faults;
  /** Throws unless the caller may. */
  readonly admit: (metadata: Metadata, call: Seen) => void;
  readonly seen: (call: Seen) => void;
}

/** Decoded requests have the shape that the definition of their method gives them. */
type Work = (request: never) => Promise<object>;
type Parts = (request: never, signal: AbortSignal) => AsyncIterable<object>;

export class Calls {
  readonly #around: Around;
  readonly #answers = new Map<string, Promise<object>>();

  constructor(around: Around) {
    this.#around = around;
  }

  unary(method: string, work: Work): handleUnaryCall<unknown, unknown> {
    return (call, answer) => {
      this.#answer(method, work, call).then(
        (value) => answer(null, value),
        (error: unknown) => refuse(answer, error),
      );
    };
  }

  stream(method: string, parts: Parts): handleServerStreamingCall<unknown, unknown> {
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
    if (fault !== null) throw errorOf(fault);
  }

  async #answer(method: string, work: Work, call: ServerUnaryCall<unknown, unknown>): Promise<object> {
    const { faults } = this.#around;
    this.begin(method, call.metadata, call.request);
    const value = await this.#once(call.metadata, () => work(call.request as never));
    if (faults.take(method, ['duplicate']) !== null) await this.#once(call.metadata, () => work(call.request as never));
    const lost = faults.take(method, ['lose']);
    if (lost !== null) throw errorOf(lost);
    return value;
  }

  /** By the key that the SDK gives to all tries of one call. A refusal may be tried again. */
  async #once(metadata: Metadata, work: () => Promise<object>): Promise<object> {
    const [key] = metadata.get('x-idempotency-key');
    if (key === undefined) return await work();
    const id = String(key);
    const known = this.#answers.get(id) ?? work();
    this.#answers.set(id, known);
    known.catch(() => this.#answers.delete(id));
    return await known;
  }

  async #send(
    method: string,
    parts: Parts,
    { call, signal }: { readonly call: ServerWritableStream<unknown, unknown>; readonly signal: AbortSignal },
  ): Promise<void> {
    this.begin(method, call.metadata, call.request);
    const cut = this.#around.faults.take(method, ['cut']);
    for await (const part of parts(call.request as never, signal)) {
      if (!call.write(part)) await writable(call, signal);
      if (signal.aborted) return;
      if (cut !== null) throw errorOf(cut);
    }
    if (cut !== null) throw errorOf(cut);
  }
}

async function writable(call: ServerWritableStream<unknown, unknown>, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    call.once('drain', resolve);
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function refuse(answer: sendUnaryData<unknown>, error: unknown): void {
  answer(toAnswer(error));
}

export function toAnswer(error: unknown): Partial<ServerErrorResponse> & { readonly code: number } {
  if (error instanceof Refusal) return { code: error.code, details: error.message };
  if (isAnswer(error)) return error;
  return { code: status.INTERNAL, details: error instanceof Error ? error.message : 'unknown' };
}

function isAnswer(error: unknown): error is ErrorAnswer {
  return typeof error === 'object' && error !== null && 'details' in error && 'metadata' in error;
}
