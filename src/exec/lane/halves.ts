/**
 * How a nonce travels: as `TAIL.HEAD`. Commands may read and print the arguments, variables and requests of every process (`ps
 * ax`, `set`, `cat /proc/PID/cmdline`); none of them holds a whole mark, so none prints one. The shell joins the halves in the
 * moment in which it prints the mark. The dot keeps them apart where a command drops the separators.
 */
export function halvesOf(nonce: string): string {
  return tailAndHead(nonce).join('.');
}

export function tailAndHead(nonce: string): readonly [string, string] {
  const middle = Math.ceil(nonce.length / 2);
  return [nonce.slice(middle), nonce.slice(0, middle)];
}
