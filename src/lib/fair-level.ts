/** How much each of those who share something may keep of it, so that all together have no more than the total. Pure. */

/** Who has less than that keeps all of it. `Infinity`: all together have no more than the total. */
export function fairLevel(amounts: readonly number[], total: number): number {
  let left = total;
  for (const [at, amount] of amounts.toSorted((a, b) => a - b).entries()) {
    const level = left / (amounts.length - at);
    if (amount > level) return Math.max(0, level);
    left -= amount;
  }
  return Infinity;
}
