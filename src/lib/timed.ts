import { traced } from './traced.ts';

/** Measures one part of a call for who wants to know, and makes it a span of the caller's trace. */
export async function timed<Phase extends string, T>(
  { onTimed }: { readonly onTimed?: ((phase: Phase, ms: number) => void) | undefined },
  phase: Phase,
  work: () => Promise<T>,
): Promise<T> {
  const spanned = (): Promise<T> => traced({ name: `caisson.${phase}` }, work);
  if (onTimed === undefined) return await spanned();
  const begin = performance.now();
  try {
    return await spanned();
  } finally {
    onTimed(phase, performance.now() - begin);
  }
}
