/** What a route is. One definition drives validation, types, the table, the document and the tests. */
import type { z } from 'zod';
import type { Scope } from '../service/api.ts';
import { withKey } from './idempotency.ts';
import { invalidRequestError } from './invalid.ts';
import type { Bytes, Page, Stream, Unchanged } from './reply.ts';
import type { Call, Form } from './types.ts';

interface Outline {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path in the form of OpenAPI: `/v1/sandboxes/{id}`. */
  readonly path: string;
  readonly scope: Scope;
  /** A token with this one instead is admitted too. */
  readonly orScope?: Scope;
  /** What it does, in one sentence. */
  readonly about: string;
  /** Bytes of any size, which no schema describes. */
  readonly takes?: 'bytes';
  /** `text`: beside JSON, a page for people and models, as text/markdown or text/plain. */
  readonly gives?: 'bytes' | 'text';
  /** It takes If-Match and If-None-Match; the `sha256` of its answer is the tag of the file. */
  readonly conditional?: true;
  /** Idempotency-Key stands for the `execId` of its body. */
  readonly keyed?: true;
  /** The command line of this host may name skills of the host. */
  readonly skills?: true;
  /** The command line of this host may name the directory of its project. */
  readonly saysProject?: true;
  readonly status?: 201;
  /** It has no body and ends by itself: answered also where its owner has all connections that it may. */
  readonly brief?: true;
  /** One event of an answer that is streamed. */
  readonly events?: z.ZodType;
  /** The form where Accept leaves it open. Absent: `ndjson` where there are events, else `json`. */
  readonly usual?: Form;
}

interface Schemas<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType> {
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  readonly answer: A;
}

export interface Definition<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>
  extends Outline, Schemas<P, Q, B, A> {
  readonly run: (
    call: Call<z.output<P>, z.output<Q>, z.output<B>>,
  ) => Promise<z.input<A> | Stream | Bytes | Page | Unchanged>;
}

/** A route as the rest of the room sees it. */
export interface Route extends Outline, Schemas<z.ZodType, z.ZodType, z.ZodType, z.ZodType> {
  /** Checks the inputs by the schemas. Throws `InvalidRequest`, which names every problem. */
  readonly run: (call: Call) => Promise<unknown>;
}

export function route<P extends z.ZodType, Q extends z.ZodType, B extends z.ZodType, A extends z.ZodType>(
  definition: Definition<P, Q, B, A>,
): Route {
  const { run, params, query, body } = definition;
  return {
    ...definition,
    run: async (call) => {
      const given = {
        params: params.safeParse(call.params),
        query: query.safeParse(call.query),
        body: body.safeParse(call.body),
      };
      const { params: at, query: how, body: what } = given;
      if (!at.success || !how.success || !what.success) throw invalidRequestError(given);
      const data = definition.keyed === true ? withKey(what.data, call.header('idempotency-key')) : what.data;
      return await run({ ...call, params: at.data, query: how.data, body: data });
    },
  };
}
