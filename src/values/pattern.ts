/** Task patterns: `*` is any run of characters, `?` is one. */

export function isPattern(name: string): boolean {
  return /[*?]/.test(name);
}

/** In time proportional to the product of the lengths, whatever the pattern: a regular expression would not be. */
export function matches(pattern: string, taskId: string): boolean {
  let [at, from, star, resume] = [0, 0, -1, 0];
  while (from < taskId.length) {
    const wanted = pattern[at];
    if (wanted === '*') [star, resume, at] = [at, from, at + 1];
    else if (wanted === '?' || wanted === taskId[from]) [at, from] = [at + 1, from + 1];
    else if (star === -1) return false;
    else [at, from, resume] = [star + 1, resume + 1, resume + 1];
  }
  return /^\**$/.test(pattern.slice(at));
}
