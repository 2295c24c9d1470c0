/** A word on one line: newlines come from a variable of the session. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`).replaceAll('\n', `'"$_cz_n"'`)}'`;
}
