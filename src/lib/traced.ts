/**
 * Spans by `@opentelemetry/api`, for a program that has registered an SDK. Without one a call costs a look at a global, and
 * nothing is loaded: the package is an optional peer.
 */
import type * as Otel from '@opentelemetry/api';
import { remembered } from './remembered.ts';

/** The API of OpenTelemetry keeps what a program registers under this symbol. */
const registered = Symbol.for('opentelemetry.js.api.1');

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Fields of W3C Trace Context, `traceparent` and `tracestate`, beside others. */
export type Carrier = Readonly<Record<string, unknown>>;

export interface TracedSpan<T> {
  readonly name: string;
  /** No text of a command, and no value of a variable: a collector is outside of Caisson. */
  readonly attributes?: Attributes;
  /** `server`: another program asked for it. `client`: it asks another program. */
  readonly kind?: 'server' | 'client';
  /** What another program has sent of its trace. */
  readonly from?: Carrier;
  /** Attributes of the end, where the work goes on after its result. */
  readonly ended?: (result: T) => Promise<Attributes>;
}

/** `null`: the package is not there. A bundler for browsers does not look for it either: few programs have it. */
const load = remembered<typeof Otel | null>(() =>
  import(/* webpackIgnore: true */ /* @vite-ignore */ '@opentelemetry/api').catch(() => null),
);

/** `work` gets the header fields by which a program that it asks continues the trace. */
export function traced<T>(
  span: TracedSpan<T>,
  work: (fields: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  if (!hasSdk()) return work({});
  return load().then((api) => (api === null ? work({}) : spanned(api, span, work)));
}

function hasSdk(): boolean {
  const global: unknown = Reflect.get(globalThis, registered);
  return typeof global === 'object' && global !== null && Reflect.get(global, 'trace') !== undefined;
}

async function spanned<T>(
  api: typeof Otel,
  span: TracedSpan<T>,
  work: (fields: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const begun = begin(api, span);
  if (begun === null) return await work({});
  try {
    const result = await api.context.with(begun.inner, () => work(begun.fields));
    if (span.ended === undefined) begun.end();
    else void span.ended(result).then(begun.end, () => begun.end());
    return result;
  } catch (error) {
    const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
    begun.fail(typeof code === 'string' ? code : 'internal');
    throw error;
  }
}

interface Begun {
  /** Context in which the work is done. */
  readonly inner: Otel.Context;
  readonly fields: Readonly<Record<string, string>>;
  readonly end: (last?: Attributes) => void;
  readonly fail: (code: string) => void;
}

/** `null`: the SDK has failed, which no command is to suffer from. */
function begin<T>(
  { trace, context, propagation, SpanKind, SpanStatusCode }: typeof Otel,
  { name, attributes = {}, kind, from }: TracedSpan<T>,
): Begun | null {
  try {
    const parent = from === undefined ? context.active() : propagation.extract(context.active(), fieldsOf(from));
    const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;
    const options = { attributes: { ...attributes }, kind: kind === undefined ? SpanKind.INTERNAL : kinds[kind] };
    const span = trace.getTracer('caisson').startSpan(name, options, parent);
    const inner = trace.setSpan(parent, span);
    const fields: Record<string, string> = {};
    propagation.inject(inner, fields);
    return {
      inner,
      fields,
      end: (last = {}) => span.setAttributes({ ...last }).end(),
      fail: (code) => span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR }).end(),
    };
  } catch {
    return null;
  }
}

/** Other fields, such as baggage, are not taken over from a caller. */
function fieldsOf({ traceparent, tracestate }: Carrier): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries({ traceparent, tracestate }).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
  );
}
