/** What a question carries through the host and back: signed, for one caller, one call and a while. */
import { randomBytes } from 'node:crypto';
import { createRequestStateCodec, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';

const state = z.strictObject({
  approvalId: z.string(),
  execId: z.string(),
  /** Hash of the call: an answer does not serve another call. */
  key: z.string(),
  askedAtMs: z.number(),
});

export type State = z.output<typeof state>;

/** The key ends with the process, as every question does that waits in it. */
export class States {
  readonly #codec;

  constructor(rememberMs: number) {
    this.#codec = createRequestStateCodec<State>({
      key: randomBytes(32),
      ttlSeconds: Math.ceil(rememberMs / 1000),
      bind: ({ mcpReq, http }) => JSON.stringify([mcpReq.method, http?.authInfo?.clientId ?? null]),
    });
  }

  async mint(payload: State, ctx: ServerContext): Promise<string> {
    return await this.#codec.mint(payload, ctx);
  }

  /** `null` for a state of another call or caller, one that is too old, and one that was made up. */
  async read(ctx: ServerContext, key: string): Promise<State | null> {
    const text = ctx.mcpReq.requestState();
    if (typeof text !== 'string') return null;
    try {
      const read = state.parse(await this.#codec.verify(text, ctx));
      return read.key === key ? read : null;
    } catch {
      return null;
    }
  }
}
