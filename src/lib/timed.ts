/** Measures one part of a call for who wants to know. */
export async function timed<Phase, T>(
  { onTimed }: { readonly onTimed?: ((phase: Phase, ms: number) => void) | undefined },
  phase: Phase,
  work: () => Promise<T>,
): Promise<T> {
  if (onTimed === undefined) return await work();
  const begin = performance.now();
  try {
    return await work();
  } finally {
    onTimed(phase, performance.now() - begin);
  }
}
