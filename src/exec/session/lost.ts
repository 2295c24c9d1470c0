/** What a snapshot cannot hold: found out in the shell, kept in the snapshot as letters, and reported when the snapshot is restored. */

const words = {
  p: 'positional parameters',
  d: 'the stack of directories',
  l: 'limits set by ulimit',
  o: 'redirections set by exec',
  j: 'background jobs',
  c: 'its directory, which is gone',
} as const;

export const lostForm = `[${Object.keys(words).join('')}]{0,${Object.keys(words).length}}`;

/** Of sh, it is not known whether there were any. */
export function lostOf(shell: 'bash' | 'sh', lost: string): readonly string[] {
  const always = shell === 'sh' ? ['functions', 'read-only marks', 'traps'] : [];
  return [...always, ...Object.entries(words).flatMap(([letter, word]) => (lost.includes(letter) ? [word] : []))];
}

const descriptors = [3, 4, 5, 6, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19].map((fd) => [
  `-e /proc/self/fd/${fd}`,
  `${fd}.`,
]);
const standard = [
  ['"/proc/$$/fd/0" -ef /dev/null', 'a'],
  ['"/proc/$$/fd/1" -ef "/proc/$$/fd/8"', 'b'],
  ['"/proc/$$/fd/2" -ef "/proc/$$/fd/9"', 'c'],
];

/**
 * Sets `_cz_m` to lines: the umask, which descriptors are open and still where they led at first, the directory and a dot.
 * What is open is looked for in the copy of the shell that tells it: the shell itself may still hold its end of the pipe.
 */
const measure = `_cz_m=$(\\command exec 2>/dev/null; \\command umask
${[...descriptors, ...standard].map(([is, said]) => `\\command test ${is} && \\command printf ${said}`).join('\n')}
\\command printf '\\n'; \\command pwd -L && \\command printf .) || command :`;

/** What a new shell has, to compare with: `_cz_i`, and in `_cz_l` its limits. */
export const measureFirst = `${measure}
_cz_i=\${_cz_m%%"$_cz_n"/*}
_cz_l=$(\\command ulimit -Sa; \\command ulimit -Ha)`;

/** Prints the limits of the shell beside those that it had first: they are long, and so compared only where they are taken up. */
export const dumpLimits = `command printf "_cz_k='%s\\n' _cz_x='" "$_cz_l" && { command ulimit -Sa; command ulimit -Ha
command printf "'; case \\$_cz_x in \\"\\$_cz_k\\") ;; *) _cz_w=\\\${_cz_w}l;; esac; _cz_k=\\n"; }`;

/** More than this is not written again after each text. */
const tooMany = '????*/*|*/??????*';

/** Appends `letter` to `_cz_w` where there are too many words (their number in `count`, all of them in `_cz_k`). */
export const boundOf = (letter: keyof typeof words, count: string): string =>
  `case ${count}/\${#_cz_k} in ${tooMany}) _cz_w=\${_cz_w}${letter};; esac`;

/** Sets `_cz_w` to letters, `_cz_m` to the umask and `_cz_q` to the directory, which are kept. */
export const lookAround = `${measure}
_cz_w=; _cz_k="$*"; ${boundOf('p', '$#')}
_cz_q=/\${_cz_m#*"$_cz_n"/} _cz_q=\${_cz_q%?.} _cz_m=\${_cz_m%%"$_cz_n"/*}
case \${_cz_m#*"$_cz_n"} in "\${_cz_i#*"$_cz_n"}") ;; *) _cz_w=\${_cz_w}o;; esac
case \${!-} in ?*) ! command kill -0 "$!" 2>/dev/null || _cz_w=\${_cz_w}j;; esac
_cz_m=\${_cz_m%%"$_cz_n"*}`;
