/**
 * What a tool is: one definition drives its entry in the list, the check of its arguments, and its scope. Hosts put the list into
 * every conversation, so that it has no schemas of results: those would be half of it.
 */
import type { z } from 'zod';
import type { Scope } from '../service/api.ts';
import type { Call } from './call.ts';
import type { Output, Reply } from './reply.ts';

interface Outline {
  readonly name: string;
  readonly title: string;
  /** For the model that chooses among tools. */
  readonly description: string;
  /** Scope of a token that may use the tool; it is not listed for others. */
  readonly scope: Extract<Scope, 'run' | 'read'>;
  readonly hints: {
    readonly readOnly: boolean;
    readonly destructive: boolean;
    readonly idempotent: boolean;
    readonly openWorld: boolean;
  };
}

interface Definition<I extends z.ZodType> extends Outline {
  /** Without `id` in its metadata: hosts convert schemas, and not all follow references. */
  readonly input: I;
  readonly run: (call: Call, args: z.output<I>) => Promise<Output | Reply>;
}

export interface Tool extends Outline {
  readonly input: z.ZodType;
  readonly run: (call: Call, args: unknown) => Promise<Output | Reply>;
}

export function tool<I extends z.ZodType>(definition: Definition<I>): Tool {
  const { input, run } = definition;
  return { ...definition, run: async (call, args) => await run(call, input.parse(args)) };
}
