/** What a snapshot cannot hold: found out in the shell, kept in the snapshot as letters (`src/inside/sessions/look-around.sh`), and reported when the snapshot is restored. */

const words = {
  p: 'positional parameters',
  d: 'the stack of directories',
  l: 'limits set by ulimit',
  o: 'redirections set by exec',
  j: 'background jobs',
  c: 'its directory, which is gone',
  s: 'what its last texts changed',
} as const;

export const lostForm = `[${Object.keys(words).join('')}]{0,${Object.keys(words).length}}`;

/** Names what a session lost. sh cannot say whether it had functions. */
export function parseLost(shell: 'bash' | 'sh', lost: string): readonly string[] {
  const always = shell === 'sh' ? ['functions', 'read-only marks', 'traps'] : [];
  return [...always, ...Object.entries(words).flatMap(([letter, word]) => (lost.includes(letter) ? [word] : []))];
}
