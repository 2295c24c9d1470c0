/** A key of the file: its type, what people should write there, and what it means. */
import { z } from 'zod';

interface Words {
  /** Completes "expected ...". */
  readonly expects: string;
}

const words = z.registry<Words>();

export function key<T extends z.ZodType>(schema: T, expects: string, about: string): T {
  const described = schema.describe(about);
  words.add(described, { expects });
  return described;
}

export function expectationOf(schema: unknown): string | null {
  return schema instanceof z.ZodType ? (words.get(schema)?.expects ?? null) : null;
}

export const flagKey = (about: string): z.ZodBoolean => key(z.boolean(), 'true or false', about);

/** A string that `problem` has nothing against. */
export function checkedText(problem: (value: string) => string | null): z.ZodString {
  return z.string().check((context) => {
    const found = problem(context.value);
    if (found !== null) context.issues.push({ code: 'custom', message: found, input: context.value });
  });
}
