/** How long an entry that failed is left alone. Pure. */
const firstMs = 1000;
const mostMs = 5 * 60_000;

/** After so many failures in a row. */
export const backOffMs = (failures: number): number => Math.min(mostMs, firstMs * 2 ** Math.max(0, failures - 1));
